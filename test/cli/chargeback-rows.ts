import { paymentId, type Cells } from './installation.js';

/** A chargeback of the first payment. */
export const chargeback: Cells = {
  ReconciliationType: 'CHARGEBACK',
  Cashflow: 'NEG',
  ReasonCode: '000.100.220',
  UniqueID: paymentId(1),
  SettlementTxId: 'CB-1',
};

/** Its reversal. */
export const reversal: Cells = {
  ...chargeback,
  ReconciliationType: 'CHARGEBACK REVERSAL',
  Cashflow: 'POS',
  ReasonCode: '',
  SettlementTxId: 'CR-1',
};
