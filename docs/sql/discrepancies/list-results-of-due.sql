-- Lists the records that are matched to the due payments, and those that list them; except in a first run.
create temp table results_of_due on
commit
drop as
select
  d.key,
  d.payment_type,
  m.file_id,
  m.line,
  m.is_matched
from
  due_payments d
  cross join lateral (
    select
      m.file_id,
      m.line,
      true as is_matched
    from
      record_matches m
    where
      m.payment_key = d.key
    union all
    select
      c.file_id,
      c.line,
      false
    from
      match_candidates c
    where
      c.payment_key = d.key
    offset
      0
  ) m
where
  not d.is_pending;
