-- Reads the payments that the booked ones refer to, for their notifications.
select distinct
  referenced_payment_id as id
from
  payments
where
  id = any ($1::text[])
  and referenced_payment_id is not null;
