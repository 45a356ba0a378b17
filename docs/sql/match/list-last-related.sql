-- Copies the payments that were listed last.
create temp table last_related on
commit
drop as
select
  id,
  referenced_payment_id
from
  related_payments
where
  round = $1;
