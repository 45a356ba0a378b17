-- Takes these ids from the records.
delete from chargeback_links l using released_links x
where
  x.file_id = l.file_id
  and x.line = l.line;
