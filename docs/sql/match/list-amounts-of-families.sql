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
  cross join lateral (
    select
      p.*
    from
      payments p
    where
      p.key = f.payment_key
      and p.outcome = 'SUCCESS'
    offset
      0
  ) p;
