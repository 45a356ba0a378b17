-- Does the same once deliveries were compared, for the records that are not in this matching yet.
insert into
  run_rechecks (run_id, file_id, line)
select
  $1,
  t.file_id,
  t.line
from
  (
    select
      file_id,
      line
    from
      late_records
  ) t
where
  t.file_id not in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $2
      and f.status = 'loaded'
  )
on conflict do nothing;
