-- Begins the list of the payments whose records may depend on the changed ones.
insert into
  related_payments
select
  key,
  id,
  referenced_payment_id,
  not is_new,
  0
from
  changed_payments;
