-- Reads discrepancies.csv in its order.
select
  d.id,
  d.code,
  d.severity,
  f.source,
  f.name as file,
  d.line,
  r.reconciliation_type,
  r.payment_type,
  r.merchant_account_id,
  r.settlement_tx_id,
  r.unique_id,
  r.short_id,
  r.amount_minor,
  r.currency,
  r.settlement_amount_minor,
  r.settlement_currency,
  r.settlement_date::text as settlement_date,
  r.settlement_status,
  nullif(m.status::text, 'NOT_APPLICABLE') as matching_status,
  (
    case m.status
      when 'MATCHED' then (
        select
          paid.id
        from
          payments paid
        where
          paid.key = m.payment_key
      )
      when 'MULTIPLE_MATCHES' then (
        select
          string_agg(
            paid.id,
            ','
            order by
              paid.id collate "C"
          )
        from
          match_candidates c
          join payments paid on paid.key = c.payment_key
        where
          c.file_id = m.file_id
          and c.line = m.line
      )
    end
  ) as matched_transactions,
  m.matched_by::text as matched_by,
  p.id as payment_id,
  p.merchant_transaction_id,
  p.merchant_invoice_id,
  l.chargeback_id,
  d.expected,
  d.actual,
  d.difference_minor,
  d.message,
  d.first_seen_run,
  (
    case
      when d.difference_minor is null then null
      when d.code = $1 then r.settlement_currency
      else coalesce(p.currency, r.currency)
    end
  ) as difference_currency,
  m.matched_through,
  p.amount_minor as paid_amount_minor,
  p.currency as paid_currency,
  (p.requested_at at time zone $2)::date::text as paid_on,
  p.payment_type as paid_as,
  nullif(p.entity_id, '') as paid_account
from
  discrepancies d
  left join settlement_files f on f.id = d.file_id
  left join settlement_records r on r.file_id = d.file_id
  and r.line = d.line
  left join record_matches m on m.file_id = d.file_id
  and m.line = d.line
  left join chargeback_links l on l.file_id = d.file_id
  and l.line = d.line
  left join payments p on p.key = case
    when d.file_id is null then d.payment_key
    else m.payment_key
  end
where
  d.id in (
    select
      d.id
    from
      (
        select
          d.*
        from
          discrepancies d
          cross join lateral (
            select
              r.settlement_date
            from
              settlement_records r
            where
              r.file_id = d.file_id
              and r.line = d.line
            offset
              0
          ) r
        where
          d.resolved_run is null
          and d.file_id = any (
            array(
              select
                f.id
              from
                settlement_files f
              where
                f.status = 'loaded'
                and f.first_settlement_date <= $3
                and f.last_settlement_date >= $4
            )
          )
          and r.settlement_date between $5 and $6
      ) d
    union
    select
      d.id
    from
      payments p
      cross join lateral (
        select
          d.id,
          d.file_id,
          d.resolved_run
        from
          discrepancies d
        where
          d.payment_key = p.key
        offset
          0
      ) d
    where
      d.file_id is null
      and d.resolved_run is null
      and (
        p.requested_at >= (($7::date - $8::int)::timestamp at time zone $9)
        and p.requested_at < ((least($10::date - $11::int, ($12::date - $13::int)) + 1)::timestamp at time zone $14)
      )
    union
    select
      d.id
    from
      discrepancies d
      join record_matches own on own.file_id = d.file_id
      and own.line = d.line
      join record_matches m on m.payment_key = own.payment_key
      cross join lateral (
        select
          r.file_id,
          r.line,
          r.reconciliation_type,
          r.settlement_date
        from
          settlement_records r
        where
          r.file_id = m.file_id
          and r.line = m.line
        offset
          0
      ) r
    where
      d.resolved_run is null
      and d.code in ($15, $16, $17)
      and r.reconciliation_type in ($18)
      and r.settlement_date between $19 and $20
    union
    select
      d.id
    from
      discrepancies d
      join record_matches own on own.file_id = d.file_id
      and own.line = d.line
      join record_matches m on m.payment_key = own.payment_key
      cross join lateral (
        select
          r.file_id,
          r.line,
          r.reconciliation_type,
          r.settlement_date
        from
          settlement_records r
        where
          r.file_id = m.file_id
          and r.line = m.line
        offset
          0
      ) r
    where
      d.resolved_run is null
      and d.code in ($21)
      and r.reconciliation_type in ($22, $23)
      and r.settlement_date between $24 and $25
  )
order by
  (d.file_id is null),
  r.settlement_date,
  coalesce(r.settlement_tx_id, '') collate "C",
  r.fingerprint,
  r.occurrence,
  p.id collate "C",
  d.code collate "C",
  d.id collate "C";
