-- Marks the records that wait for a decision for review.
update new_matches n
set
  needs_review = true
from
  uncounted_records u
where
  u.file_id = n.file_id
  and u.line = n.line
  and u.reason = 'REDELIVERED';
