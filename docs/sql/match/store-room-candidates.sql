-- Stores what the records were left with, and which of these payments have room.
insert into
  room_candidates as c (file_id, line, payment_key, has_room)
select
  file_id,
  line,
  payment_key,
  has_room
from
  contested
on conflict (file_id, line, payment_key) do update
set
  has_room = excluded.has_room
where
  c.has_room <> excluded.has_room;
