-- Lists the payments whose records must be added up.
insert into
  review_payments
select
  payment_key
from
  new_matches
where
  needs_review
  and payment_key is not null
union
select
  former_payment_key
from
  new_matches
where
  former_payment_key is not null
  and former_payment_key is distinct from payment_key
union
select
  payment_key
from
  new_matches
where
  payment_key is not null
group by
  payment_key
having
  count(*) > 1
union
select
  n.payment_key
from
  new_matches n
  join record_matches m on m.payment_key = n.payment_key
where
  (m.file_id, m.line) <> (n.file_id, n.line);
