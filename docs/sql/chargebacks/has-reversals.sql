-- Checks whether the scope holds a matched reversal, if no chargeback got an id.
select
from
  new_matches
where
  reconciliation_type = 'CHARGEBACK REVERSAL'
  and status = 'MATCHED'
  and needs_review
limit
  1;
