-- Finds MISSING_SETTLEMENT: what is left of the unsettled payments.
insert into
  found (id, code, severity, payment_key, expected, actual, difference_minor, message)
select
  left(encode(sha256(convert_to('MISSING_SETTLEMENT' || ':' || p.id, 'UTF8')), 'hex'), 32) as id,
  'MISSING_SETTLEMENT' as code,
  $1 as severity,
  p.key,
  round((p.amount_minor)::numeric / 100, 2)::text as expected,
  '0.00' as actual,
  - p.amount_minor as difference_minor,
  format(
    'Payment %s (%s) for %s %s on %s succeeded, but no settlement of it has arrived.',
    p.id,
    p.payment_type,
    round((p.amount_minor)::numeric / 100, 2)::text,
    p.currency,
    (p.requested_at at time zone $2)::date
  ) as message
from
  unsettled_payments missing
  join payments p on p.key = missing.key;
