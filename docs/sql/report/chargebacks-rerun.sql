-- Reads chargebacks.csv in its order.
select
  cb.chargeback_id,
  case
    when cr.minor is not null then 'REVERSED'
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
  cr.day::text as reversed_on,
  cr.minor as reversed_minor,
  cr.currency as reversed_currency,
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
              cross join lateral (
                select
                  r.settlement_date
                from
                  settlement_records r
                where
                  r.file_id = t.file_id
                  and r.line = t.line
                  and r.file_id = any (string_to_array($1, ',')::integer[])
                limit
                  1
              ) r
            where
              t.file_id = any (
                array(
                  select
                    f.id
                  from
                    settlement_files f
                  where
                    f.status = 'loaded'
                    and f.first_settlement_date <= $2
                    and f.last_settlement_date >= $3
                )
              )
              and r.settlement_date between $4 and $5
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
      max(l.chargeback_id) as chargeback_id,
      max(coalesce(r.settlement_date, b.day)) as day,
      sum(coalesce(r.amount_minor, b.amount_minor))::bigint as minor,
      max(coalesce(r.currency, b.currency)) as currency
    from
      chargeback_links l
      join settlement_files x on x.id = l.file_id
      left join lateral (
        select
          r.settlement_date,
          r.amount_minor,
          r.currency
        from
          settlement_records r
        where
          r.file_id = l.file_id
          and r.line = l.line
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
          x.status = 'retired'
          and b.id = l.booking_id
        offset
          0
      ) b on true
    where
      l.kind = 'CHARGEBACK REVERSAL'
      and l.active
      and l.chargeback_id = cb.chargeback_id
  ) cr on true
order by
  coalesce(r.settlement_date, b.day),
  coalesce(r.settlement_tx_id, '') collate "C",
  r.fingerprint,
  r.occurrence,
  cb.chargeback_id collate "C";
