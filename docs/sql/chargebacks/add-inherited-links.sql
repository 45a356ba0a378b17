-- Adds these to the changed links.
insert into
  changed_links
select
  file_id,
  line,
  kind,
  chargeback_id,
  booking_id,
  payment_key,
  true
from
  inherited_links;
