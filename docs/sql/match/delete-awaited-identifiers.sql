-- Deletes the awaited identifiers of these records.
delete from awaited_identifiers a using rematched_records r
where
  r.file_id = a.file_id
  and r.line = a.line;
