-- Reads the unlinked reversals of the payments in scope, in their order.
select
  r.file_id as "fileId",
  r.line,
  m.payment_key as "paymentKey",
  r.amount_minor as "amountMinor",
  r.currency,
  left(
    encode(sha256(convert_to('chargeback-reversal:' || r.fingerprint || ':' || r.occurrence, 'UTF8')), 'hex'),
    32
  ) as "bookingId",
  (
    select
      f.chargeback_id
    from
      former_ids f
    where
      f.file_id = r.file_id
      and f.line = r.line
  ) as "formerId",
  (
    select
      f.booking_id
    from
      former_ids f
    where
      f.file_id = r.file_id
      and f.line = r.line
  ) as "formerBookingId"
from
  touched_payments t
  join record_matches m on m.payment_key = t.payment_key
  join settlement_records r on r.file_id = m.file_id
  and r.line = m.line
where
  r.reconciliation_type = 'CHARGEBACK REVERSAL'
  and r.settlement_status = 'SUCCESS'
  and not exists (
    select
    from
      chargeback_links l
    where
      l.file_id = m.file_id
      and l.line = m.line
    offset
      0
  )
  and not exists (
    select
    from
      uncounted_records u
    where
      u.file_id = r.file_id
      and u.line = r.line
    offset
      0
  )
order by
  r.settlement_date,
  coalesce(r.settlement_tx_id, ''),
  r.fingerprint,
  r.occurrence;
