-- Lists the records to judge again, because a payment of theirs gained or lost its room.
insert into
  room_rechecks
select distinct
  c.file_id,
  c.line
from
  rooms x
  join room_candidates c on c.payment_key = x.payment_key
where
  c.has_room <> x.has_room;
