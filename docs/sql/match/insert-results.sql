-- Stores the results of new records.
insert into
  record_matches (file_id, line, status, matched_by, matched_through, payment_key, run_id)
select
  file_id,
  line,
  status,
  matched_by,
  matched_through,
  payment_key,
  $1
from
  new_matches
where
  is_new;
