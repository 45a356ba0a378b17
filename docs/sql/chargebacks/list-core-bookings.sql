-- Lists the chargebacks of these payments, and then the reversals of those.
create temp table "core_chargebacks" on
commit
drop as
select
  o.payment_key,
  o.id as booked_on,
  b.key,
  b.id,
  b.amount_minor,
  b.currency,
  b.requested_at
from
  "ids_of_booked" o
  cross join lateral (
    select
      b.*
    from
      payments b
    where
      b.referenced_payment_id = o.id
      and b.payment_type = $1
    offset
      0
  ) b;
