-- Notes the pending payments, at which the next run looks again.
insert into
  payments_to_check
select
  key
from
  due_payments
where
  is_pending
union
select
  key
from
  pending_payments;
