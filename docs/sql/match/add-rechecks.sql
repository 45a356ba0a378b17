-- Notes the records that are judged again as looked at again by this run.
insert into
  run_rechecks (run_id, file_id, line)
select
  $1,
  file_id,
  line
from
  room_rechecks
on conflict do nothing;
