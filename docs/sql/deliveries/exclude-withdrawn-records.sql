-- Stores the records of withdrawn files as not counting.
insert into
  uncounted_records (file_id, line, reason, run_id)
select
  file_id,
  line,
  'WITHDRAWN',
  $1
from
  changed_records
where
  not counts
on conflict (file_id, line) do update
set
  reason = 'WITHDRAWN',
  other_file_id = null,
  other_line = null,
  run_id = excluded.run_id;
