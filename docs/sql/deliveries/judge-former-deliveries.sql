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
      on (r.other_file_id, r.other_line) r.*
    from
      pairs r
    where
      r.outcome = 'supersede'
    order by
      r.other_file_id,
      r.other_line,
      r.settlement_date,
      r.fingerprint,
      r.occurrence
  ) p
where
  d.file_id = p.other_file_id
  and d.line = p.other_line;
