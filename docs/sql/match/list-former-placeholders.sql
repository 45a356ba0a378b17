-- Lists those of them that too many payments had before.
create temp table "former_placeholders" on
commit
drop as
select
  c.identifier,
  c.value
from
  "frequent_values" c
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
              and not (
                p.key > $8::bigint
                and (
                  p.key > $9::bigint
                  or age (p.xmin) <= (
                    select
                      pg_current_xact_id()::text::bigint - $10::bigint
                  )
                )
              )
            limit
              $11::integer
          ) p
      ) p
    where
      not p.found > $12::integer
      or p.number = 1
  ) p
where
  c.identifier = $13
  and p.weight > 1
union all
select
  c.identifier,
  c.value
from
  "frequent_values" c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $14::integer then p.found
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
              and p.payment_type in ($15, $16, $17, $18, $19, $20)
              and not (
                p.key > $21::bigint
                and (
                  p.key > $22::bigint
                  or age (p.xmin) <= (
                    select
                      pg_current_xact_id()::text::bigint - $23::bigint
                  )
                )
              )
            limit
              $24::integer
          ) p
      ) p
    where
      not p.found > $25::integer
      or p.number = 1
  ) p
where
  c.identifier = $26
  and p.weight > 1
union all
select
  c.identifier,
  c.value
from
  "frequent_values" c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $27::integer then p.found
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
              and p.payment_type in ($28, $29, $30, $31, $32, $33)
              and not (
                p.key > $34::bigint
                and (
                  p.key > $35::bigint
                  or age (p.xmin) <= (
                    select
                      pg_current_xact_id()::text::bigint - $36::bigint
                  )
                )
              )
            limit
              $37::integer
          ) p
      ) p
    where
      not p.found > $38::integer
      or p.number = 1
  ) p
where
  c.identifier = $39
  and p.weight > 1
union all
select
  c.identifier,
  c.value
from
  "frequent_values" c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $40::integer then p.found
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
              and p.payment_type in ($41, $42, $43, $44, $45, $46)
              and not (
                p.key > $47::bigint
                and (
                  p.key > $48::bigint
                  or age (p.xmin) <= (
                    select
                      pg_current_xact_id()::text::bigint - $49::bigint
                  )
                )
              )
            limit
              $50::integer
          ) p
      ) p
    where
      not p.found > $51::integer
      or p.number = 1
  ) p
where
  c.identifier = $52
  and p.weight > 1;
