import type { Fragment, Tx } from '../fragment.js';

/**
 * What two deliveries of one record have in common (design 4.6, RECORD_REDELIVERED), over `r` (settlement_records): a
 * hash of SettlementTxId, ReconciliationType, PaymentType and the payment reference, which is the UniqueID, else the
 * ShortId, else the ConnectorTxIds. Null for a record without SettlementTxId or without reference: nothing shows that
 * another record is the same.
 */
export function deliveryKey(tx: Tx): Fragment {
  return tx`(case when r.settlement_tx_id <> '' then md5(r.settlement_tx_id || '|' || r.reconciliation_type || '|'
    || r.payment_type || '|' || ${paymentReference(tx)})::uuid end)`;
}

/** The columns that {@link deliveryKey} reads of `r` (settlement_records). */
export function columnsOfDeliveryKey(tx: Tx): Fragment {
  return tx`r.settlement_tx_id, r.reconciliation_type, r.payment_type, r.unique_id, r.short_id, r.connector_tx_id1,
    r.connector_tx_id2, r.connector_tx_id3`;
}

/** Whether {@link deliveryKey} is not null, without the hash, which costs more than everything else in a scan. */
export function hasDeliveryKey(tx: Tx): Fragment {
  return tx`(r.settlement_tx_id <> '' and concat(
    r.unique_id, r.short_id, r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> '')`;
}

/** The payment reference of record `r`: UniqueID, else ShortId, else the ConnectorTxIds; null without any. */
export function paymentReference(tx: Tx): Fragment {
  return tx`(case when r.unique_id <> '' then 'UniqueID ' || r.unique_id
    when r.short_id <> '' then 'ShortId ' || r.short_id
    when concat(r.connector_tx_id1, r.connector_tx_id2, r.connector_tx_id3) <> '' then concat('ConnectorTxIds ',
      r.connector_tx_id1, '|', r.connector_tx_id2, '|', r.connector_tx_id3) end)`;
}
