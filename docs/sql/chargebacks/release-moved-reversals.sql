-- Takes the chargeback id from these reversals, and adds them to the changed links.
with
  moved as (
    delete from chargeback_links l using moved_reversals x
    where
      x.file_id = l.file_id
      and x.line = l.line
    returning
      l.file_id,
      l.line,
      l.kind,
      l.chargeback_id,
      l.booking_id,
      l.payment_key
  )
insert into
  changed_links
select
  *,
  false
from
  moved;
