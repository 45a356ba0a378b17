-- Makes a filled table a part of settlement_records.
alter table settlement_records attach partition settlement_records_N for
values
from
  (F) to (T);
