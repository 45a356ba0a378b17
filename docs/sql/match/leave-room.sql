-- Notes that all of these payments have room; only if no record takes any.
insert into
  rooms
select
  payment_key,
  true
from
  room_payments;
