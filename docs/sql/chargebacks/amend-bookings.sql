-- Writes these values to the bookings, in the payment core.
update payments p
set
  amount_minor = b.amount_minor,
  currency = b.currency,
  result_code = b.result_code,
  requested_at = b.booked_at,
  referenced_payment_id = b.referenced
from
  unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::timestamptz[], $7::text[]) as b (id, payment_type, amount_minor, currency, result_code, booked_at, referenced)
where
  p.id = b.id collate "C"
  and p.payment_type = b.payment_type collate "C"
  and (p.amount_minor, p.currency, p.result_code, p.requested_at, p.referenced_payment_id) is distinct from (
    b.amount_minor,
    b.currency collate "C",
    b.result_code collate "C",
    b.booked_at,
    b.referenced collate "C"
  )
returning
  p.id;
