-- Lists the payments that a record was matched to before and is not matched to now.
insert into
  lost_payments
select
  former_payment_key
from
  new_matches
where
  not is_new
  and former_payment_key is not null
  and former_payment_key is distinct from payment_key;
