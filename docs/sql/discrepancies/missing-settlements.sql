-- Words MISSING_SETTLEMENT for the missing payments that are due in scope or were changed by an import.
insert into
  found (id, code, severity, payment_key, expected, actual, difference_minor, message)
select
  left(encode(sha256(convert_to('MISSING_SETTLEMENT:' || p.id, 'UTF8')), 'hex'), 32),
  'MISSING_SETTLEMENT',
  $1,
  p.key,
  round((p.amount_minor)::numeric / 100, 2)::text,
  '0.00',
  - p.amount_minor,
  format(
    'Payment %s (%s) over %s %s of %s succeeded, but no settlement of it has arrived.',
    p.id,
    p.payment_type,
    round((p.amount_minor)::numeric / 100, 2)::text,
    p.currency,
    (p.requested_at at time zone $2)::date
  )
from
  missing_payments m
  join payments p on p.key = m.key
where
  m.stated;
