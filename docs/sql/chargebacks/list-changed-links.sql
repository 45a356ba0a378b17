-- Lists the chargeback links of the changed records; mostly none.
create temp table changed_links on
commit
drop as
select
  l.file_id,
  l.line,
  l.kind,
  l.chargeback_id,
  l.booking_id,
  l.payment_key,
  c.counts
from
  changed_records c
  join chargeback_links l on l.file_id = c.file_id
  and l.line = c.line;
