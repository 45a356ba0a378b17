-- Leaves the chargebacks and reversals among those with too many without a payment.
update new_matches n
set
  status = 'NOT_MATCHED',
  matched_by = null,
  payment_key = null
from
  (
    select distinct
      file_id,
      line
    from
      crowded_families
  ) f
where
  n.file_id = f.file_id
  and n.line = f.line
  and n.needs_review
  and n.reconciliation_type in ($1, $2);
