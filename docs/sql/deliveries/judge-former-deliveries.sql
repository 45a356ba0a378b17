-- Writes which former deliveries are superseded.
update deliveries d
set
  counts = false,
  reason = 'SUPERSEDED',
  other_file_id = p.file_id,
  other_line = p.line
from
  (
    select distinct
      on (other_file_id, other_line) *
    from
      pairs
    where
      outcome = 'supersede'
    order by
      other_file_id,
      other_line,
      by_line
  ) p
where
  d.file_id = p.other_file_id
  and d.line = p.other_line;
