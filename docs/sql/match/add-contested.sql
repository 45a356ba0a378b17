-- Adds the payments left to the records that are judged again.
insert into
  contested
select
  c.file_id,
  c.line,
  c.payment_key,
  coalesce(x.has_room, c.has_room)
from
  room_rechecks r
  join room_candidates c on c.file_id = r.file_id
  and c.line = r.line
  left join rooms x on x.payment_key = c.payment_key;
