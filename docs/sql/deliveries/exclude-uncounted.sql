-- Takes the records that do not count out of the results.
update new_matches n
set
  status = 'NOT_APPLICABLE',
  matched_by = case
    when n.pinned then n.matched_by
  end,
  payment_key = null,
  needs_review = false
from
  uncounted_records u
where
  u.file_id = n.file_id
  and u.line = n.line
  and u.reason <> 'REDELIVERED';
