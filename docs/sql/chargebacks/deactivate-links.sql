-- Deactivates the links of the records that do not count.
update chargeback_links l
set
  active = false
from
  changed_links c
where
  not c.counts
  and l.active
  and l.file_id = c.file_id
  and l.line = c.line;
