-- Stores the chargeback ids that this run gave, for one kind of record.
insert into
  chargeback_links (file_id, line, kind, chargeback_id, booking_id, payment_key, run_id)
select
  file_id,
  line,
  kind,
  chargeback_id,
  booking_id,
  payment_key,
  $1
from
  new_links
where
  kind = $2;
