-- Adds the results of the records that are judged again.
insert into
  new_matches (
    file_id,
    line,
    reconciliation_type,
    pinned,
    status,
    matched_by,
    matched_through,
    is_new,
    former_status,
    former_matched_by,
    former_matched_through,
    former_payment_key,
    needs_review
  )
select
  m.file_id,
  m.line,
  'SETTLED',
  false,
  'MULTIPLE_MATCHES',
  m.matched_by,
  m.matched_through,
  false,
  m.status,
  m.matched_by,
  m.matched_through,
  m.payment_key,
  true
from
  room_rechecks x
  join record_matches m on m.file_id = x.file_id
  and m.line = x.line;
