-- Leaves out those that this run matches anyway; only if there are any.
delete from room_rechecks x using new_matches n
where
  n.file_id = x.file_id
  and n.line = x.line;
