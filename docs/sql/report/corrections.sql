-- Reads corrections.csv: the rejected rows of all files that nobody has corrected.
select
  f.name as file,
  f.sha256,
  q.line,
  q.raw_text,
  q.issues
from
  rejected_rows q
  join settlement_files f on f.id = q.file_id
  and f.status = 'loaded'
where
  not exists (
    select
    from
      row_corrections c
    where
      c.file_id = q.file_id
      and c.line = q.line
  )
  and q.file_id not in (
    select
      w.file_id
    from
      withdrawn_files w
  )
order by
  f.name collate "C",
  f.id,
  q.line;
