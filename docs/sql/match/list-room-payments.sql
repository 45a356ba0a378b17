-- Lists the payments whose room may have changed and on which a record depends.
insert into
  room_payments
select
  k.payment_key
from
  kept_hits k
  join new_matches n on n.file_id = k.file_id
  and n.line = k.line
  and n.needs_review
  and n.status = 'MULTIPLE_MATCHES'
  and n.reconciliation_type = 'SETTLED'
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
