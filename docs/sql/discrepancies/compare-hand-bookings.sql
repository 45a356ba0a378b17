-- Finds chargeback records of a payment that was charged back by hand before: CHARGEBACK_BOOKED_TWICE.
insert into
  found (id, code, severity, file_id, line, payment_key, expected, actual, message)
select
  left(encode(sha256(convert_to('CHARGEBACK_BOOKED_TWICE' || ':' || c.payment_id, 'UTF8')), 'hex'), 32),
  'CHARGEBACK_BOOKED_TWICE',
  $1,
  c.file_id,
  c.line,
  c.payment_key,
  'one chargeback',
  format('another one by hand (%s)', c.id),
  format(
    'Payment %s was charged back by hand (%s, %s %s) before this chargeback of %s %s arrived. ' 'If both are the same chargeback, it is booked twice.',
    c.payment_id,
    c.id,
    round((c.amount_minor)::numeric / 100, 2)::text,
    c.currency,
    round((c.record_amount)::numeric / 100, 2)::text,
    c.record_currency
  )
from
  (
    select
      b.payment_key,
      b.booked_on as payment_id,
      b.id,
      b.amount_minor,
      b.currency,
      r.file_id,
      r.line,
      r.amount_minor as record_amount,
      r.currency as record_currency,
      row_number() over (
        partition by
          b.payment_key
        order by
          r.settlement_date desc,
          coalesce(r.settlement_tx_id, '') desc,
          r.fingerprint desc,
          r.occurrence desc,
          b.requested_at,
          b.id
      ) as number
    from
      core_chargebacks b
      join chargeback_links l on l.payment_key = b.payment_key
      and l.kind = 'CHARGEBACK'
      and l.active
      join runs on runs.id = l.run_id
      and runs.started_at > b.requested_at
      join settlement_records r on r.file_id = l.file_id
      and r.line = l.line
      and r.settlement_status = 'SUCCESS'
    where
      exists (
        select
        from
          payment_details d
        where
          d.payment_key = b.key
          and d.connector = $2
      )
      and b.amount_minor > coalesce(
        (
          select
            sum(v.amount_minor)
          from
            core_reversals v
          where
            v.booked_on = b.id
        ),
        0
      )
  ) c
where
  c.number = 1;
