-- Lets the records of restored files count again.
delete from uncounted_records u using changed_records c
where
  c.counts
  and u.file_id = c.file_id
  and u.line = c.line
  and u.reason = 'WITHDRAWN';
