-- Lists the files for which a reconciled file is written.
select
  id,
  name,
  sha256,
  report_name,
  rows_accepted,
  rows_already_known,
  to_char(received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || '+0000' as received_at
from
  settlement_files
where
  id in (
    select
      f.id
    from
      settlement_files f
    where
      f.finished_run_id = $1
      and f.status = 'loaded'
      and not exists (
        select
        from
          withdrawn_files w
        where
          w.file_id = f.id
      )
  )
order by
  report_name collate "C";
