-- Lists the payments whose records must be added up.
insert into
  summed_payments
select
  payment_key
from
  new_matches
where
  needs_review
  and payment_key is not null
  and (
    not is_new
    or settled_key is distinct from payment_key
  )
union
select
  former_payment_key
from
  new_matches
where
  not is_new
  and former_payment_key is not null
  and former_payment_key is distinct from payment_key
union
select
  n.payment_key
from
  changed_records c
  join new_matches n on n.file_id = c.file_id
  and n.line = c.line
where
  n.payment_key is not null
union
select
  payment_key
from
  repeated_payments
union
(
  select
    n.payment_key
  from
    new_matches n
  where
    n.payment_key in (
      select
        w.payment_key
      from
        new_matches w
      where
        w.needs_review
        and w.is_new
        and w.matched_by <> 'UNIQUE_ID'
        and w.settled_key = w.payment_key
    )
  group by
    n.payment_key
  having
    count(*) > 1
)
union
select
  m.payment_key
from
  (
    select
      w.payment_key
    from
      new_matches w
    where
      w.needs_review
      and w.is_new
      and w.matched_by <> 'UNIQUE_ID'
      and w.settled_key = w.payment_key
  ) w
  join record_matches m on m.payment_key = w.payment_key;
