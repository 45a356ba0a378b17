-- Gives every matched CHARGEBACK record an id that derives from its identity.
insert into
  new_links (file_id, line, kind, chargeback_id, booking_id, payment_key)
select
  r.file_id,
  r.line,
  n.reconciliation_type,
  left(
    encode(sha256(convert_to('chargeback:' || r.fingerprint || ':' || r.occurrence, 'UTF8')), 'hex'),
    32
  ),
  left(
    encode(sha256(convert_to('chargeback:' || r.fingerprint || ':' || r.occurrence, 'UTF8')), 'hex'),
    32
  ),
  n.payment_key
from
  new_matches n
  join review_records r on r.file_id = n.file_id
  and r.line = n.line
where
  n.reconciliation_type = 'CHARGEBACK'
  and n.status = 'MATCHED'
  and n.needs_review
  and not exists (
    select
    from
      chargeback_links l
    where
      l.file_id = r.file_id
      and l.line = r.line
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
