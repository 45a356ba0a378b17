-- Notes which payment a record with a stored key waits for.
update delivery_keys d
set
  awaited_id = k.awaited_id
from
  keyed_records k
where
  k.awaited_id is not null
  and not k.is_new
  and d.file_id = k.file_id
  and d.line = k.line
  and d.awaited_id is null;
