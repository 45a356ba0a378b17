-- Reads the rejected rows in scope, to add up the amounts that they state.
select
  q.raw_text
from
  rejected_rows q
where
  q.file_id in (
    select
      id
    from
      settlement_files f
    where
      finished_run_id = $1
      and status in ('loaded', 'rejected')
      and not f.id in (
        select
          w.file_id
        from
          withdrawn_files w
      )
  )
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
  );
