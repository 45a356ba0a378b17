-- Lists the pending payments among them, at which the next run looks again.
create temp table pending_payments on
commit
drop as
select distinct
  p.key
from
  looked_at_payments p
where
  p.is_pending
  and p.requested_at >= $1::timestamptz;
