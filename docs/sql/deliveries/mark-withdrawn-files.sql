-- Marks the withdrawals as in effect.
insert into
  withdrawn_files (file_id, run_id)
select
  file_id,
  $1
from
  pending_files
where
  withdrawn;
