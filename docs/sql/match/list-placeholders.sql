-- Lists those of them that too many payments have, before and after the change.
create temp table "placeholders" on
commit
drop as
select
  c.identifier,
  c.value
from
  awaited_values c
  cross join lateral (
    select
      count(*) as found
    from
      (
        select
        from
          payments p
        where
          p."short_id" = c.value
          and p.payment_type in ($1, $2, $3, $4, $5, $6)
          and p.key not in (
            select
              key
            from
              changed_payments
          )
        limit
          $7::integer
      ) p
  ) p
where
  c.identifier = $8
  and p.found > $9::integer
union all
select
  c.identifier,
  c.value
from
  awaited_values c
  cross join lateral (
    select
      count(*) as found
    from
      (
        select
        from
          payments p
        where
          p."connector_tx_id1" = c.value
          and p.payment_type in ($10, $11, $12, $13, $14, $15)
          and p.key not in (
            select
              key
            from
              changed_payments
          )
        limit
          $16::integer
      ) p
  ) p
where
  c.identifier = $17
  and p.found > $18::integer
union all
select
  c.identifier,
  c.value
from
  awaited_values c
  cross join lateral (
    select
      count(*) as found
    from
      (
        select
        from
          payments p
        where
          p."connector_tx_id2" = c.value
          and p.payment_type in ($19, $20, $21, $22, $23, $24)
          and p.key not in (
            select
              key
            from
              changed_payments
          )
        limit
          $25::integer
      ) p
  ) p
where
  c.identifier = $26
  and p.found > $27::integer
union all
select
  c.identifier,
  c.value
from
  awaited_values c
  cross join lateral (
    select
      count(*) as found
    from
      (
        select
        from
          payments p
        where
          p."connector_tx_id3" = c.value
          and p.payment_type in ($28, $29, $30, $31, $32, $33)
          and p.key not in (
            select
              key
            from
              changed_payments
          )
        limit
          $34::integer
      ) p
  ) p
where
  c.identifier = $35
  and p.found > $36::integer;
