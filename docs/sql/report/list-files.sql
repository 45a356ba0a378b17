-- Lists the files for which a reconciled file is written.
select
  id,
  name,
  sha256,
  report_name,
  rows_total,
  rows_accepted,
  rows_already_known,
  first_settlement_date::text,
  last_settlement_date::text,
  rows_total - rows_accepted = (
    select
      count(*)
    from
      rejected_rows q
    where
      q.file_id = settlement_files.id
      and not exists (
        select
        from
          row_corrections c
        where
          c.file_id = q.file_id
          and c.line = q.line
          and (
            exists (
              select
              from
                settlement_records r
              where
                r.file_id = c.file_id
                and r.line = c.line
              offset
                0
            )
            or exists (
              select
              from
                already_known_rows k
              where
                k.file_id = c.file_id
                and k.line = c.line
            )
          )
      )
  ) as lists_rejected,
  exists (
    select
    from
      match_candidates c
    where
      c.file_id = settlement_files.id
    offset
      $1
  ) as has_many_candidates,
  exists (
    select
    from
      row_corrections c
    where
      c.file_id = settlement_files.id
  ) as has_corrections,
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
      f.finished_run_id = $2
      and f.status = 'loaded'
      and f.id not in (
        select
          w.file_id
        from
          withdrawn_files w
      )
  )
order by
  report_name collate "C";
