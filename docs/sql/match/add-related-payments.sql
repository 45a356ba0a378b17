-- Adds the payments that are not listed yet.
insert into
  related_payments
select distinct
  key,
  id,
  referenced_payment_id,
  false,
  $1::integer
from
  next_related
on conflict do nothing;
