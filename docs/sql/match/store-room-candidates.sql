-- Stores what differs of what the records were left with, and which of these payments have room.
insert into
  room_candidates (file_id, line, payment_key, has_room)
select
  c.file_id,
  c.line,
  c.payment_key,
  c.has_room
from
  contested c
  join new_matches n on n.file_id = c.file_id
  and n.line = c.line
  and not n.is_new
except
select
  c.file_id,
  c.line,
  c.payment_key,
  c.has_room
from
  room_candidates c
  join new_matches n on n.file_id = c.file_id
  and n.line = c.line
  and not n.is_new
on conflict (file_id, line, payment_key) do update
set
  has_room = excluded.has_room;
