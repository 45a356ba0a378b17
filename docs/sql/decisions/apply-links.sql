-- Matches the linked records to the payments that were named.
update new_matches n
set
  status = 'MATCHED',
  matched_by = 'MANUAL',
  matched_through = null,
  payment_key = d.payment_key,
  needs_review = true
from
  manual_links d
where
  d.kind = 'link'
  and d.file_id = n.file_id
  and d.line = n.line;
