-- Copies the records that need a review, which all later steps read.
create temp table review_records on
commit
drop as
select
  n.status = 'NOT_MATCHED'
  and not n.pinned as undecided,
  r.*
from
  new_matches n
  join settlement_records r on r.file_id = n.file_id
  and r.line = n.line
where
  n.needs_review;
