-- Finds payments by ConnectorTxId1-3 for records that no stronger key decided.
create temp table found_payments on
commit
drop as
select
  $1::text as identifier,
  r."connector_tx_id1" as value,
  null::integer as file_id,
  null::integer as line,
  p.*
from
  (
    select distinct
      r."connector_tx_id1"
    from
      undecided_records r
    where
      r."connector_tx_id1" <> ''
      and not exists (
        select
        from
          decided_records d
        where
          d.file_id = r.file_id
          and d.line = r.line
      )
  ) r
  cross join lateral (
    select
      p.*,
      case
        when p.found > $2::integer then p.found
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
              p.payment_type,
              p.outcome,
              p.amount_minor,
              p.currency
            from
              payments p
            where
              (
                p."connector_tx_id1" = r."connector_tx_id1"
                and r."connector_tx_id1" <> ''
                and p.payment_type in ($3, $4, $5, $6, $7, $8)
              )
            limit
              $9::integer
          ) p
      ) p
    where
      not p.found > $10::integer
      or p.number = 1
  ) p
union
select
  $11::text as identifier,
  r."connector_tx_id2" as value,
  null::integer as file_id,
  null::integer as line,
  p.*
from
  (
    select distinct
      r."connector_tx_id2"
    from
      undecided_records r
    where
      r."connector_tx_id2" <> ''
      and not exists (
        select
        from
          decided_records d
        where
          d.file_id = r.file_id
          and d.line = r.line
      )
  ) r
  cross join lateral (
    select
      p.*,
      case
        when p.found > $12::integer then p.found
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
              p.payment_type,
              p.outcome,
              p.amount_minor,
              p.currency
            from
              payments p
            where
              (
                p."connector_tx_id2" = r."connector_tx_id2"
                and r."connector_tx_id2" <> ''
                and p.payment_type in ($13, $14, $15, $16, $17, $18)
              )
            limit
              $19::integer
          ) p
      ) p
    where
      not p.found > $20::integer
      or p.number = 1
  ) p
union
select
  $21::text as identifier,
  r."connector_tx_id3" as value,
  null::integer as file_id,
  null::integer as line,
  p.*
from
  (
    select distinct
      r."connector_tx_id3"
    from
      undecided_records r
    where
      r."connector_tx_id3" <> ''
      and not exists (
        select
        from
          decided_records d
        where
          d.file_id = r.file_id
          and d.line = r.line
      )
  ) r
  cross join lateral (
    select
      p.*,
      case
        when p.found > $22::integer then p.found
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
              p.payment_type,
              p.outcome,
              p.amount_minor,
              p.currency
            from
              payments p
            where
              (
                p."connector_tx_id3" = r."connector_tx_id3"
                and r."connector_tx_id3" <> ''
                and p.payment_type in ($23, $24, $25, $26, $27, $28)
              )
            limit
              $29::integer
          ) p
      ) p
    where
      not p.found > $30::integer
      or p.number = 1
  ) p;
