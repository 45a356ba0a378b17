-- Finds the payments that share an identifier with a changed one.
create temp table "next_related" on
commit
drop as
select
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3"
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
              "p"."key",
              "p"."id",
              "p"."referenced_payment_id",
              "p"."short_id",
              "p"."connector_tx_id1",
              "p"."connector_tx_id2",
              "p"."connector_tx_id3"
            from
              payments p
            where
              p."short_id" = c.shared
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
  p.weight = 1
union all
select
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3"
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
              "p"."key",
              "p"."id",
              "p"."referenced_payment_id",
              "p"."short_id",
              "p"."connector_tx_id1",
              "p"."connector_tx_id2",
              "p"."connector_tx_id3"
            from
              payments p
            where
              p."connector_tx_id1" = c.shared
              and p.payment_type in ($11, $12, $13, $14, $15, $16)
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $17::integer
          ) p
      ) p
    where
      not p.found > $18::integer
      or p.number = 1
  ) p
where
  p.weight = 1
union all
select
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3"
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
        when p.found > $19::integer then p.found
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
              "p"."key",
              "p"."id",
              "p"."referenced_payment_id",
              "p"."short_id",
              "p"."connector_tx_id1",
              "p"."connector_tx_id2",
              "p"."connector_tx_id3"
            from
              payments p
            where
              p."connector_tx_id2" = c.shared
              and p.payment_type in ($20, $21, $22, $23, $24, $25)
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $26::integer
          ) p
      ) p
    where
      not p.found > $27::integer
      or p.number = 1
  ) p
where
  p.weight = 1
union all
select
  "p"."key",
  "p"."id",
  "p"."referenced_payment_id",
  "p"."short_id",
  "p"."connector_tx_id1",
  "p"."connector_tx_id2",
  "p"."connector_tx_id3"
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
        when p.found > $28::integer then p.found
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
              "p"."key",
              "p"."id",
              "p"."referenced_payment_id",
              "p"."short_id",
              "p"."connector_tx_id1",
              "p"."connector_tx_id2",
              "p"."connector_tx_id3"
            from
              payments p
            where
              p."connector_tx_id3" = c.shared
              and p.payment_type in ($29, $30, $31, $32, $33, $34)
              and p.key not in (
                select
                  key
                from
                  changed_payments
              )
            limit
              $35::integer
          ) p
      ) p
    where
      not p.found > $36::integer
      or p.number = 1
  ) p
where
  p.weight = 1;
