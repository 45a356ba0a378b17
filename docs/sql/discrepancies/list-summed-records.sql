-- Lists the records of the payments whose records are added up, whichever file they came in.
create temp table summed_records on
commit
drop as
select
  m.payment_key,
  r.file_id,
  r.line,
  r.fingerprint,
  r.occurrence,
  r.reconciliation_type,
  r.payment_type,
  r.settlement_date,
  r.settlement_tx_id,
  r.settlement_status,
  r.amount_minor,
  r.currency,
  false as is_removed
from
  (
    select
      m.payment_key,
      m.file_id,
      m.line
    from
      record_matches m
    where
      m.payment_key in (
        select
          payment_key
        from
          summed_payments
      )
    offset
      0
  ) m
  cross join lateral (
    select
      r.*
    from
      settlement_records r
    where
      r.file_id = m.file_id
      and r.line = m.line
    limit
      1
  ) r;
