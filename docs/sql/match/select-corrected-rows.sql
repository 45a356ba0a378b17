-- Selects the corrected rows of earlier files that no run has matched; only if a row was ever corrected.
insert into
  run_rechecks (run_id, file_id, line)
select
  $1,
  c.file_id,
  c.line
from
  row_corrections c
  join lateral (
    select
      true as stored
    from
      settlement_records r
    where
      r.file_id = c.file_id
      and r.line = c.line
    limit
      1
  ) r on true
where
  not exists (
    select
    from
      record_matches m
    where
      m.file_id = c.file_id
      and m.line = c.line
  )
  and c.file_id not in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $2
      and f.status = 'loaded'
  )
on conflict do nothing;
