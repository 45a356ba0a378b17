-- Stores the links of the records that took an id over.
insert into
  chargeback_links (file_id, line, kind, chargeback_id, booking_id, payment_key, run_id)
select distinct
  on (i.chargeback_id, i.kind) i.file_id,
  i.line,
  i.kind,
  i.chargeback_id,
  i.booking_id,
  i.payment_key,
  $1::integer
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
  )
order by
  i.chargeback_id,
  i.kind,
  i.file_id,
  i.line;
