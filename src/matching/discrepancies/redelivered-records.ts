import { discrepancyCodes } from '../../findings/discrepancy-codes.js';
import { amountText, type Fragment, type Tx } from '../fragment.js';
import { recordFindingId } from './check.js';

/**
 * RECORD_REDELIVERED (design 4.6): the records in scope that wait for a decision, each with every cell in which it
 * differs from the former delivery.
 */
export async function collectRedeliveries(tx: Tx): Promise<void> {
  const code = tx`'RECORD_REDELIVERED'`;
  await tx`
    insert into found (id, code, severity, file_id, line, payment_key, expected, actual, difference_minor, message)
    select ${recordFindingId(tx, code)}, ${code}, ${discrepancyCodes.RECORD_REDELIVERED.severity}, r.file_id, r.line,
      n.payment_key, coalesce(c.expected, ${sameValues(tx)}), coalesce(c.actual, ${sameValues(tx)}),
      case when r.currency = o.currency then nullif(r.amount_minor - o.amount_minor, 0) end,
      format('%s line %s delivered this record before, with %s. Until somebody decides which of the two counts, '
        'this one takes no part in any sum.', f.name, o.line,
        coalesce('another ' || c.names, 'the same values written differently'))
    from uncounted_records u
    join review_records r on r.file_id = u.file_id and r.line = u.line
    join new_matches n on n.file_id = r.file_id and n.line = r.line and n.needs_review
    join settlement_records o on o.file_id = u.other_file_id and o.line = u.other_line
    join settlement_files f on f.id = o.file_id
    cross join lateral (${differingCells(tx)}) c
    where u.reason = 'REDELIVERED'`;
}

const sameValues = (tx: Tx): Fragment => tx`'the same values written differently'`;

/** The cells of the former record `o` and the later one `r` that differ, as one row of texts; nulls without any. */
export function differingCells(tx: Tx): Fragment {
  const rows = deliveredCells(tx, 'o').map(([name, former], place) => {
    const later = deliveredCells(tx, 'r')[place]?.[1] ?? tx`null`;
    return tx`(${place}::integer, ${name}::text, ${former}, ${later})`;
  });
  const values = rows.reduce((all, row) => tx`${all}, ${row}`);
  return tx`
    select string_agg(name || ' ' || coalesce(nullif(former, ''), '(empty)'), ', ' order by place) as expected,
      string_agg(name || ' ' || coalesce(nullif(later, ''), '(empty)'), ', ' order by place) as actual,
      string_agg(name, ', ' order by place) as names
    from (values ${values}) cell (place, name, former, later)
    where coalesce(former, '') <> coalesce(later, '')`;
}

/** The 33 delivered cells of a stored record, by the names of their columns, as texts. */
export function deliveredCells(
  tx: Tx,
  record: 'o' | 'r',
): readonly (readonly [name: string, text: Fragment])[] {
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
