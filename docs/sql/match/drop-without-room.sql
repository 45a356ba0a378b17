-- Drops them.
delete from kept_hits k using without_room w
where
  w.file_id = k.file_id
  and w.line = k.line
  and w.payment_key = k.payment_key;
