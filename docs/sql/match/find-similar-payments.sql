-- Finds the payments that share an identifier with a changed one.
create temp table "next_related" on
commit
drop as
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select distinct
      "short_id" as shared
    from
      changed_payments
    where
      "short_id" is not null
      and not only_family
    offset
      0
  ) c
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
              p.key,
              p.id,
              p.referenced_payment_id
            from
              payments p
            where
              p."short_id" = c.shared
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $2::integer
          ) p
      ) p
    where
      not p.found > $3::integer
      or p.number = 1
  ) p
where
  p.weight = 1
union all
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select distinct
      "connector_tx_id1" as shared
    from
      changed_payments
    where
      "connector_tx_id1" is not null
      and not only_family
    offset
      0
  ) c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $4::integer then p.found
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
              p.key,
              p.id,
              p.referenced_payment_id
            from
              payments p
            where
              p."connector_tx_id1" = c.shared
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $5::integer
          ) p
      ) p
    where
      not p.found > $6::integer
      or p.number = 1
  ) p
where
  p.weight = 1
union all
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select distinct
      "connector_tx_id2" as shared
    from
      changed_payments
    where
      "connector_tx_id2" is not null
      and not only_family
    offset
      0
  ) c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $7::integer then p.found
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
              p.key,
              p.id,
              p.referenced_payment_id
            from
              payments p
            where
              p."connector_tx_id2" = c.shared
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
  p.weight = 1
union all
select
  p.key,
  p.id,
  p.referenced_payment_id
from
  (
    select distinct
      "connector_tx_id3" as shared
    from
      changed_payments
    where
      "connector_tx_id3" is not null
      and not only_family
    offset
      0
  ) c
  cross join lateral (
    select
      p.*,
      case
        when p.found > $10::integer then p.found
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
              p.key,
              p.id,
              p.referenced_payment_id
            from
              payments p
            where
              p."connector_tx_id3" = c.shared
              and p.key not in (
                select
                  key
                from
                  changed_payments
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
  p.weight = 1;
