-- Reads chargebacks.csv in its order.
select
  cb.chargeback_id,
  case
    when cr.file_id is not null then 'REVERSED'
    when r.settlement_status = 'FAILED' then 'FAILED'
    else 'OPEN'
  end as status,
  p.id as payment_id,
  coalesce(r.amount_minor, b.amount_minor) as amount_minor,
  coalesce(r.currency, b.currency) as currency,
  coalesce(r.reason_code, b.reason_code) as reason_code,
  r.reason_desc,
  coalesce(r.settlement_date, b.day)::text as settlement_date,
  r.settlement_tx_id,
  coalesce(reversal.settlement_date, back.day)::text as reversed_on,
  coalesce(reversal.amount_minor, back.amount_minor) as reversed_minor,
  coalesce(reversal.currency, back.currency) as reversed_currency,
  f.name as file,
  cb.line
from
  (
    select
      *
    from
      chargeback_links cb
    where
      cb.kind = 'CHARGEBACK'
      and cb.active
      and cb.chargeback_id in (
        select
          l.chargeback_id
        from
          (
            select
              t.*
            from
              "chargeback_links" t
            where
              t.file_id = any (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.finished_run_id = $1
                    and f.status = 'loaded'
                )
              )
              and t.active
            union all
            select
              t.*
            from
              run_rechecks c
              join "chargeback_links" t on t.file_id = c.file_id
              and t.line = c.line
            where
              c.run_id = $2
              and c.file_id <> all (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.finished_run_id = $3
                    and f.status = 'loaded'
                )
              )
              and t.active
          ) l
      )
    offset
      0
  ) cb
  join settlement_files f on f.id = cb.file_id
  left join lateral (
    select
      r.settlement_status,
      r.amount_minor,
      r.currency,
      r.reason_code,
      r.reason_desc,
      r.settlement_date,
      r.settlement_tx_id,
      r.fingerprint,
      r.occurrence
    from
      settlement_records r
    where
      r.file_id = cb.file_id
      and r.line = cb.line
    offset
      0
  ) r on true
  left join lateral (
    select
      b.amount_minor,
      b.currency,
      b.result_code as reason_code,
      (b.requested_at at time zone 'UTC')::date as day
    from
      payments b
    where
      f.status = 'retired'
      and b.id = cb.booking_id
    offset
      0
  ) b on true
  left join lateral (
    select
      p.id
    from
      payments p
    where
      p.key = cb.payment_key
    offset
      0
  ) p on true
  left join lateral (
    select
      l.file_id,
      l.line,
      l.booking_id
    from
      chargeback_links l
    where
      l.chargeback_id = cb.chargeback_id
      and l.kind = 'CHARGEBACK REVERSAL'
      and l.active
    offset
      0
  ) cr on true
  left join settlement_files x on x.id = cr.file_id
  left join lateral (
    select
      r.settlement_date,
      r.amount_minor,
      r.currency
    from
      settlement_records r
    where
      r.file_id = cr.file_id
      and r.line = cr.line
    offset
      0
  ) reversal on true
  left join lateral (
    select
      b.amount_minor,
      b.currency,
      b.result_code as reason_code,
      (b.requested_at at time zone 'UTC')::date as day
    from
      payments b
    where
      x.status = 'retired'
      and b.id = cr.booking_id
    offset
      0
  ) back on true
order by
  coalesce(r.settlement_date, b.day),
  coalesce(r.settlement_tx_id, '') collate "C",
  r.fingerprint,
  r.occurrence,
  cb.chargeback_id collate "C";
