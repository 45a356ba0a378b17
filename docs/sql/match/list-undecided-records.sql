-- Copies those of them for which UniqueID found no payment: the weaker keys read only these.
create temp table undecided_records on
commit
drop as
select
  r.file_id,
  r.line,
  r.reconciliation_type,
  r.payment_type,
  r.settlement_status,
  r.unique_id,
  r.short_id,
  r.connector_tx_id1,
  r.connector_tx_id2,
  r.connector_tx_id3,
  r.merchant_account_id,
  r.account_number_last4,
  r.amount_minor,
  r.currency,
  r.tx_request_time,
  r.brand
from
  review_records r
where
  r.undecided;
