-- Lists the successful payments of these families with their amounts.
create temp table family_amounts on
commit
drop as
select
  f.start_key,
  f.payment_key,
  p.payment_type,
  p.amount_minor,
  p.currency
from
  families f
  join payments p on p.key = f.payment_key
where
  p.outcome = 'SUCCESS';
