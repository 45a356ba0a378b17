-- Lists the payments whose reversals are linked to chargebacks.
create temp table touched_payments on
commit
drop as
select
  payment_key
from
  new_matches
where
  reconciliation_type in ('CHARGEBACK', 'CHARGEBACK REVERSAL')
  and status = 'MATCHED'
  and needs_review
union
select
  payment_key
from
  changed_links;
