-- Deletes the awaited identifiers of records that another key has matched since.
delete from awaited_identifiers a using new_matches n
where
  n.file_id = a.file_id
  and n.line = a.line
  and not n.is_new
  and n.former_matched_by is distinct from n.matched_by;
