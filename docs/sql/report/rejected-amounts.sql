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
      and not exists (
        select
        from
          withdrawn_files w
        where
          w.file_id = f.id
      )
  );
