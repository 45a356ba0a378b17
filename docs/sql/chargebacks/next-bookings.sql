-- Reads the next of them.
select
  position,
  id,
  payment_type as "paymentType",
  referenced as "referencedPaymentId",
  amount_minor as "amountMinor",
  currency,
  reason_code as "reasonCode",
  booked_at as "bookedAt"
from
  new_bookings
where
  position > $1
order by
  position
limit
  $2;
