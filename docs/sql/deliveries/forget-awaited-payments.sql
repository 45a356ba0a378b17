-- Notes that UniqueID has now matched such records.
update delivery_keys d
set
  awaited_id = null
from
  (
    select
      file_id,
      line
    from
      late_payments
    intersect
    select
      file_id,
      line
    from
      new_matches
    where
      matched_by = 'UNIQUE_ID'
  ) found
where
  d.file_id = found.file_id
  and d.line = found.line;
