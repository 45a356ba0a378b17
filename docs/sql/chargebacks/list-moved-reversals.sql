-- Lists the reversals whose chargeback is one of another payment now; mostly none.
create temp table moved_reversals on
commit
drop as
select
  l.*
from
  (
    select distinct
      chargeback_id
    from
      changed_links
  ) c
  join chargeback_links holder on holder.chargeback_id = c.chargeback_id
  and holder.kind = 'CHARGEBACK'
  and holder.active
  join chargeback_links l on l.chargeback_id = c.chargeback_id
  and l.kind = 'CHARGEBACK REVERSAL'
  and l.active
  and l.payment_key <> holder.payment_key;
