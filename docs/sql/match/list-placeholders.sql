-- Lists those of them that too many payments have, before and after the change.
create temp table "placeholders" on
commit
drop as
select
  c.identifier,
  c.value
from
  "awaited_values" c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $1::integer then p.found
        else 1
      end as weight
    from
      (
        select
          p.*,
          count(*) over () as found,
          row_number() over () as number
        from
          (
            select
              p.key
            from
              payments p
            where
              p."short_id" = c.value
              and p.payment_type in ($2, $3, $4, $5, $6, $7)
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $8::integer
          ) p
      ) p
    where
      not p.found > $9::integer
      or p.number = 1
  ) p
where
  c.identifier = $10
  and p.weight > 1
union all
select
  c.identifier,
  c.value
from
  "awaited_values" c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $11::integer then p.found
        else 1
      end as weight
    from
      (
        select
          p.*,
          count(*) over () as found,
          row_number() over () as number
        from
          (
            select
              p.key
            from
              payments p
            where
              p."connector_tx_id1" = c.value
              and p.payment_type in ($12, $13, $14, $15, $16, $17)
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $18::integer
          ) p
      ) p
    where
      not p.found > $19::integer
      or p.number = 1
  ) p
where
  c.identifier = $20
  and p.weight > 1
union all
select
  c.identifier,
  c.value
from
  "awaited_values" c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $21::integer then p.found
        else 1
      end as weight
    from
      (
        select
          p.*,
          count(*) over () as found,
          row_number() over () as number
        from
          (
            select
              p.key
            from
              payments p
            where
              p."connector_tx_id2" = c.value
              and p.payment_type in ($22, $23, $24, $25, $26, $27)
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $28::integer
          ) p
      ) p
    where
      not p.found > $29::integer
      or p.number = 1
  ) p
where
  c.identifier = $30
  and p.weight > 1
union all
select
  c.identifier,
  c.value
from
  "awaited_values" c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $31::integer then p.found
        else 1
      end as weight
    from
      (
        select
          p.*,
          count(*) over () as found,
          row_number() over () as number
        from
          (
            select
              p.key
            from
              payments p
            where
              p."connector_tx_id3" = c.value
              and p.payment_type in ($32, $33, $34, $35, $36, $37)
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $38::integer
          ) p
      ) p
    where
      not p.found > $39::integer
      or p.number = 1
  ) p
where
  c.identifier = $40
  and p.weight > 1;
