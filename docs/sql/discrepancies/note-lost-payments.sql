-- A re-run notes the payments that it took a record from, at which the next run looks again.
insert into
  payments_to_check
select
  key
from
  lost_payments
on conflict do nothing;
