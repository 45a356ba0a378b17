-- Selects the records that newly corrected rows repeat; only if a row was ever corrected.
insert into
  run_rechecks (run_id, file_id, line)
select
  $1,
  k.record_file_id,
  k.record_line
from
  row_corrections c
  cross join lateral (
    select
      k.record_file_id,
      k.record_line
    from
      already_known_rows k
    where
      k.file_id = c.file_id
      and k.line = c.line
    offset
      0
  ) k
where
  c.decided_at > coalesce(
    (
      select
        max(r.started_at)
      from
        runs r
      where
        r.kind = 'run'
        and r.status = 'completed'
    ),
    '-infinity'
  )
  and k.record_file_id not in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $2
      and f.status = 'loaded'
  )
on conflict do nothing;
