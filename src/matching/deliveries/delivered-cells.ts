import { amountText, type Fragment, type Tx } from '../fragment.js';

/**
 * The delivered cells of two records, for `values`: a row of place, name, and the text in the former record `o` and in
 * the later one `r`.
 */
export function comparedCells(tx: Tx): Fragment {
  const rows = deliveredCells(tx, 'o').map(([name, former], place) => {
    const later = deliveredCells(tx, 'r')[place]?.[1] ?? tx`null`;
    return tx`(${place}::integer, ${name}::text, ${former}, ${later})`;
  });
  return rows.reduce((all, row) => tx`${all}, ${row}`);
}

/** The 33 delivered cells of a stored record, by the names of their columns, as texts. */
function deliveredCells(tx: Tx, record: 'o' | 'r'): readonly (readonly [name: string, text: Fragment])[] {
  const of = (column: string) => tx`${tx(record)}.${tx(column)}`;
  return [...cellColumns].map(([name, column, kind]) => {
    if (kind === 'amount') return [name, amountText(tx, of(column))] as const;
    if (kind === 'moment')
      return [
        name,
        tx`to_char(${of(column)} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+0000"')`,
      ] as const;
    return [name, tx`${of(column)}::text`] as const;
  });
}

/** In the order of the file. */
const cellColumns: readonly (readonly [name: string, column: string, kind?: 'amount' | 'moment'])[] = [
  ['ReconciliationType', 'reconciliation_type'],
  ['PaymentType', 'payment_type'],
  ['Cashflow', 'cashflow'],
  ['ClearingInstituteMerchantId', 'clearing_institute_merchant_id'],
  ['MerchantAccountId', 'merchant_account_id'],
  ['MerchantAccountName', 'merchant_account_name'],
  ['PspId', 'psp_id'],
  ['DivisionId', 'division_id'],
  ['MerchantId', 'merchant_id'],
  ['SettlementTxId', 'settlement_tx_id'],
  ['UniqueID', 'unique_id'],
  ['ShortId', 'short_id'],
  ['ConnectorTxId1', 'connector_tx_id1'],
  ['ConnectorTxId2', 'connector_tx_id2'],
  ['ConnectorTxId3', 'connector_tx_id3'],
  ['Amount', 'amount_minor', 'amount'],
  ['Currency', 'currency'],
  ['Brand', 'brand'],
  ['TxRequestTime', 'tx_request_time', 'moment'],
  ['SettlementAmount', 'settlement_amount_minor', 'amount'],
  ['SettlementCurrency', 'settlement_currency'],
  ['SettlementFee', 'settlement_fee_minor', 'amount'],
  ['SettlementFxRate', 'settlement_fx_rate_hundredths', 'amount'],
  ['SettlementDate', 'settlement_date'],
  ['SettlementStatus', 'settlement_status'],
  ['Descriptor', 'descriptor'],
  ['AccountNumberLast4', 'account_number_last4'],
  ['BankCode', 'bank_code'],
  ['AccountHolder', 'account_holder'],
  ['ReasonCode', 'reason_code'],
  ['ReasonDesc', 'reason_desc'],
  ['SettlementFileFormat', 'settlement_file_format'],
  ['ClearingInsitituteName', 'clearing_institute_name'],
];
