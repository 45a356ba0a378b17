-- Drops what the keys found where a member of the family fits.
delete from key_hits h using (
  select distinct
    file_id,
    line
  from
    family_hits
) f
where
  f.file_id = h.file_id
  and f.line = h.line;
