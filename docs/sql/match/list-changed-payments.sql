-- Lists the payments to which something has happened; usually none, and the next steps are left out.
create temp table changed_payments on
commit
drop as
select
  p.key,
  p.id,
  p.short_id,
  p.connector_tx_id1,
  p.connector_tx_id2,
  p.connector_tx_id3,
  p.referenced_payment_id,
  bool_or(
    p.payment_type = 'RV'
    or p.happened <> 'NEW'
  ) as may_reverse,
  bool_and(p.happened = 'NEW') as is_new,
  not bool_or(p.is_relevant) as only_family
from
  looked_at_payments p
where
  p.happened <> 'DECIDED'
  or not p.is_pending
group by
  1,
  2,
  3,
  4,
  5,
  6,
  7;
