-- Attaches a filled table to settlement_records as a part.
alter table settlement_records attach partition settlement_records_N for
values
from
  (F) to (T);
