-- Finds the payments that are left to the other records.
insert into
  family_hits
select
  c.file_id,
  c.line,
  c.matched_by,
  m.payment_key,
  true,
  c.succeeded,
  c.same_amount
from
  family_choices c
  cross join lateral (
    select
      m.payment_key
    from
      fitting_members m
    where
      m.set_id = c.set_id
      and m.succeeded = c.succeeded
      and m.amount_minor = c.amount_minor
      and m.currency = c.currency
    offset
      0
  ) m
where
  c.found <= $1::integer
  and c.same_amount
union all
select
  c.file_id,
  c.line,
  c.matched_by,
  m.payment_key,
  true,
  c.succeeded,
  c.same_amount
from
  family_choices c
  cross join lateral (
    select
      m.payment_key
    from
      fitting_members m
    where
      m.set_id = c.set_id
      and m.succeeded = c.succeeded
    offset
      0
  ) m
where
  c.found <= $2::integer
  and not c.same_amount;
