-- Lists the records that count from now on, or no longer count.
insert into
  changed_records (file_id, line, counts)
select
  a.file_id,
  a.line,
  w.file_id is null
  or b.file_id is not null
from
  affected_records a
  left join withdrawn_now w on w.file_id = a.file_id
  left join brought_again b on b.file_id = a.file_id
  and b.line = a.line
  left join uncounted_records u on u.file_id = a.file_id
  and u.line = a.line
  and u.reason = 'WITHDRAWN'
where
  (
    w.file_id is null
    or b.file_id is not null
  ) <> (u.file_id is null);
