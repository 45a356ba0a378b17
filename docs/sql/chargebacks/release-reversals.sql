-- Removes the links of the reversals that count again but whose chargeback another reversal has now.
delete from chargeback_links l using changed_links c
where
  c.counts
  and c.kind = 'CHARGEBACK REVERSAL'
  and not l.active
  and l.file_id = c.file_id
  and l.line = c.line;
