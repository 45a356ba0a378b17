-- Lets the records count again that are no longer superseded or undecided.
delete from uncounted_records u using new_judgements j
where
  j.counts
  and u.file_id = j.file_id
  and u.line = j.line;
