-- Stores the records that are superseded or wait for a decision.
insert into
  uncounted_records (file_id, line, reason, other_file_id, other_line, run_id)
select
  file_id,
  line,
  reason::uncounted_reason,
  other_file_id,
  other_line,
  $1
from
  new_judgements
where
  not counts
on conflict (file_id, line) do update
set
  reason = excluded.reason,
  other_file_id = excluded.other_file_id,
  other_line = excluded.other_line,
  run_id = excluded.run_id;
