-- Lists the payments on which the back office may have booked a chargeback by hand; if the core has any payments.
create temp table "ids_of_booked" on
commit
drop as
select
  b.payment_key,
  p.id
from
  booked_payments b
  cross join lateral (
    select
      p.id
    from
      payments p
    where
      p.key = b.payment_key
    offset
      0
  ) p;
