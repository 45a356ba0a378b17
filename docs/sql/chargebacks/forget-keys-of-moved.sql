-- Removes the key from the results of withdrawn reversals whose chargeback is one of another payment now.
update record_matches m
set
  matched_by = null,
  matched_through = null
from
  (
    select
      file_id,
      line
    from
      moved_reversals
  ) x
where
  m.file_id = x.file_id
  and m.line = x.line
  and m.status = 'NOT_APPLICABLE'
  and m.matched_by is not null;
