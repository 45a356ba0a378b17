-- Stores the links of the records that took an id over.
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
  inherited_links i
where
  not exists (
    select
    from
      chargeback_links taken
    where
      taken.chargeback_id = i.chargeback_id
      and taken.kind = i.kind
      and taken.active
  );
