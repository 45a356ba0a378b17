-- Takes the records that UniqueID matched to a payment that they were unlinked from away from it.
update new_matches n
set
  status = 'NOT_MATCHED',
  matched_by = null,
  matched_through = null,
  payment_key = null,
  needs_review = true
from
  manual_links d
where
  d.kind = 'unlink'
  and d.file_id = n.file_id
  and d.line = n.line
  and n.payment_key = d.payment_key;
