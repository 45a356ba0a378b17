-- Lists the payments under review: also those that a record settles in full.
insert into
  review_payments
select
  payment_key
from
  summed_payments
union
select
  payment_key
from
  new_matches
where
  needs_review
  and payment_key is not null;
