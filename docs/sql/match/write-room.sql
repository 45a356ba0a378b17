-- Writes to each of these payments whether it has room.
update contested c
set
  has_room = x.has_room
from
  rooms x
where
  x.payment_key = c.payment_key;
