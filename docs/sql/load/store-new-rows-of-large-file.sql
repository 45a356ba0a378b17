-- Stores the other rows of a large file in its own table.
insert into
  settlement_records_N (
    file_id,
    line,
    fingerprint,
    occurrence,
    reconciliation_type,
    payment_type,
    cashflow,
    clearing_institute_merchant_id,
    merchant_account_id,
    merchant_account_name,
    psp_id,
    division_id,
    merchant_id,
    settlement_tx_id,
    unique_id,
    short_id,
    connector_tx_id1,
    connector_tx_id2,
    connector_tx_id3,
    amount_minor,
    currency,
    brand,
    tx_request_time,
    settlement_amount_minor,
    settlement_currency,
    settlement_fee_minor,
    settlement_fx_rate_hundredths,
    settlement_date,
    settlement_status,
    descriptor,
    account_number_last4,
    bank_code,
    account_holder,
    reason_code,
    reason_desc,
    settlement_file_format,
    clearing_institute_name,
    claimed_matching_status,
    claimed_matched_transactions,
    claimed_chargeback_id
  )
select
  s.file_id,
  s.line,
  s.fingerprint,
  n.occurrence,
  s.reconciliation_type,
  s.payment_type,
  s.cashflow,
  s.clearing_institute_merchant_id,
  s.merchant_account_id,
  s.merchant_account_name,
  s.psp_id,
  s.division_id,
  s.merchant_id,
  s.settlement_tx_id,
  s.unique_id,
  s.short_id,
  s.connector_tx_id1,
  s.connector_tx_id2,
  s.connector_tx_id3,
  s.amount_minor,
  s.currency,
  s.brand,
  s.tx_request_time,
  s.settlement_amount_minor,
  s.settlement_currency,
  s.settlement_fee_minor,
  s.settlement_fx_rate_hundredths,
  s.settlement_date,
  s.settlement_status,
  s.descriptor,
  s.account_number_last4,
  s.bank_code,
  s.account_holder,
  s.reason_code,
  s.reason_desc,
  s.settlement_file_format,
  s.clearing_institute_name,
  s.claimed_matching_status,
  s.claimed_matched_transactions,
  s.claimed_chargeback_id
from
  staged_records s
  join numbered_records n using (line)
where
  not exists (
    select
    from
      already_known_rows k
    where
      k.file_id = $1
      and k.line = s.line
  );
