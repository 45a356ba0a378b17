-- Counts the records in scope by result, for the summary.
select
  m.status,
  count(*)::int as count
from
  (
    select
      t.*
    from
      "record_matches" t
    where
      t.file_id = any (
        array(
          select
            f.id
          from
            settlement_files f
          where
            f.finished_run_id = $1
            and f.status = 'loaded'
        )
      )
      and (
        t.status <> 'NOT_APPLICABLE'
        or not exists (
          select
          from
            uncounted_records u
          where
            u.file_id = t.file_id
            and u.line = t.line
            and u.reason <> 'REDELIVERED'
        )
      )
    union all
    select
      t.*
    from
      run_rechecks c
      join "record_matches" t on t.file_id = c.file_id
      and t.line = c.line
    where
      c.run_id = $2
      and c.file_id <> all (
        array(
          select
            f.id
          from
            settlement_files f
          where
            f.finished_run_id = $3
            and f.status = 'loaded'
        )
      )
      and (
        t.status <> 'NOT_APPLICABLE'
        or not exists (
          select
          from
            uncounted_records u
          where
            u.file_id = t.file_id
            and u.line = t.line
            and u.reason <> 'REDELIVERED'
        )
      )
  ) m
group by
  m.status;
