-- Deletes what the former results of the redecided records were based on.
delete from applied_links a using redecided_records x,
new_matches n
where
  x.file_id = a.file_id
  and x.line = a.line
  and n.file_id = a.file_id
  and n.line = a.line;
