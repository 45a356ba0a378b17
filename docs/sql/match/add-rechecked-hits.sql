-- Adds the payments left to the records that are judged again.
insert into
  kept_hits (file_id, line, payment_key)
select
  c.file_id,
  c.line,
  c.payment_key
from
  room_rechecks x
  join room_candidates c on c.file_id = x.file_id
  and c.line = x.line;
