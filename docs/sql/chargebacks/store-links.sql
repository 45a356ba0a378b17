-- Stores the chargeback ids that this run gave, of one kind.
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
