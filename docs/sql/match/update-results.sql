-- Stores the results that changed.
update record_matches m
set
  status = n.status,
  matched_by = n.matched_by,
  matched_through = n.matched_through,
  payment_key = n.payment_key,
  run_id = $1
from
  new_matches n
where
  m.file_id = n.file_id
  and m.line = n.line
  and not n.is_new
  and (n.former_status, n.former_matched_by, n.former_matched_through, n.former_payment_key) is distinct from (n.status, n.matched_by, n.matched_through, n.payment_key);
