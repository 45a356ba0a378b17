-- Lists the payments whose room may have changed and on which a record depends.
insert into
  room_payments
select
  payment_key
from
  contested
union
(
  select
    payment_key
  from
    room_candidates
  intersect
  (
    select
      payment_key
    from
      new_matches
    where
      payment_key is not null
    union all
    select
      former_payment_key
    from
      new_matches
    where
      not is_new
      and former_payment_key is not null
  )
);
