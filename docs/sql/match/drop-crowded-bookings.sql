-- Drops what the keys found for these.
delete from key_hits h using crowded_families f,
new_matches n
where
  h.file_id = f.file_id
  and h.line = f.line
  and n.file_id = f.file_id
  and n.line = f.line
  and n.needs_review
  and n.reconciliation_type in ($1, $2);
