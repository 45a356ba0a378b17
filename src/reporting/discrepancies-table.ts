import type { Tx } from '../db/client.js';
import { readAhead } from '../db/read-ahead.js';
import type { DueSettings, RunScope } from '../db/run-scope.js';
import { amountOrTextCell, dateCell, freeTextCell, textCell, type Cell } from './csv-cells.js';
import { discrepanciesInScope } from './discrepancies-in-scope.js';
import { differenceCurrency } from '../findings/stated-money.js';
import { matchedPaymentIds } from '../findings/matched-payment-ids.js';
import { rowsAtOnce, type Table } from './write-table.js';
import type { DiscrepancyId, RunId } from '../values/ids.js';

interface Row {
  id: DiscrepancyId;
  code: string;
  severity: string;
  source: string | null;
  file: string | null;
  line: number | null;
  reconciliation_type: string | null;
  payment_type: string | null;
  merchant_account_id: string | null;
  settlement_tx_id: string | null;
  unique_id: string | null;
  short_id: string | null;
  amount_minor: bigint | null;
  currency: string | null;
  settlement_amount_minor: bigint | null;
  settlement_currency: string | null;
  settlement_date: string | null;
  settlement_status: string | null;
  matching_status: string | null;
  matched_transactions: string | null;
  matched_by: string | null;
  payment_id: string | null;
  merchant_transaction_id: string | null;
  merchant_invoice_id: string | null;
  chargeback_id: string | null;
  expected: string | null;
  actual: string | null;
  difference_minor: bigint | null;
  message: string;
  first_seen_run: RunId;
  difference_currency: string | null;
  matched_through: string | null;
  paid_amount_minor: bigint | null;
  paid_currency: string | null;
  paid_on: string | null;
  paid_as: string | null;
  paid_account: string | null;
}

/** The columns of design 6 in their order, each with how a discrepancy fills it. */
const columns: readonly (readonly [name: string, cell: (row: Row) => Cell])[] = [
  ['DiscrepancyId', (row) => textCell(row.id)],
  ['Code', (row) => textCell(row.code)],
  ['Severity', (row) => textCell(row.severity)],
  ['Source', (row) => textCell(row.source)],
  ['File', (row) => textCell(row.file)],
  ['Line', (row) => row.line],
  ['ReconciliationType', (row) => textCell(row.reconciliation_type)],
  ['PaymentType', (row) => textCell(row.payment_type)],
  ['MerchantAccountId', (row) => textCell(row.merchant_account_id)],
  ['SettlementTxId', (row) => textCell(row.settlement_tx_id)],
  ['UniqueID', (row) => textCell(row.unique_id)],
  ['ShortId', (row) => textCell(row.short_id)],
  ['Amount', (row) => row.amount_minor],
  ['Currency', (row) => textCell(row.currency)],
  ['SettlementAmount', (row) => row.settlement_amount_minor],
  ['SettlementCurrency', (row) => textCell(row.settlement_currency)],
  ['SettlementDate', (row) => dateCell(row.settlement_date)],
  ['SettlementStatus', (row) => textCell(row.settlement_status)],
  ['MatchingStatus', (row) => textCell(row.matching_status)],
  ['MatchedTransactions', (row) => textCell(row.matched_transactions)],
  ['MatchedBy', (row) => textCell(row.matched_by)],
  ['PaymentId', (row) => textCell(row.payment_id)],
  ['MerchantTransactionId', (row) => textCell(row.merchant_transaction_id)],
  ['MerchantInvoiceId', (row) => textCell(row.merchant_invoice_id)],
  ['ChargebackId', (row) => textCell(row.chargeback_id)],
  ['Expected', (row) => amountOrTextCell(row.expected)],
  ['Actual', (row) => amountOrTextCell(row.actual)],
  ['Difference', (row) => row.difference_minor],
  ['Message', (row) => freeTextCell(row.message)],
  ['FirstSeenRun', (row) => row.first_seen_run],
  ['DifferenceCurrency', (row) => textCell(row.difference_currency)],
  ['MatchedThrough', (row) => textCell(row.matched_through)],
  ['PaidAmount', (row) => row.paid_amount_minor],
  ['PaidCurrency', (row) => textCell(row.paid_currency)],
  ['PaidOn', (row) => dateCell(row.paid_on)],
  ['PaidAs', (row) => textCell(row.paid_as)],
  ['PaidAccount', (row) => textCell(row.paid_account)],
];

/**
 * `discrepancies.csv`: what is open on the scope, records first in the order of design 4.6, then payments
 * by id; each followed by its codes.
 */
export function discrepanciesTable(tx: Tx, scope: RunScope, due: DueSettings): Table {
  return {
    name: 'discrepancies',
    header: columns.map(([name]) => name),
    rows: readRows(tx, scope, due),
  };
}

async function* readRows(tx: Tx, scope: RunScope, due: DueSettings): AsyncGenerator<Cell[][]> {
  const batches = tx<Row[]>`
    select d.id, d.code, d.severity, f.source, f.name as file, d.line, r.reconciliation_type, r.payment_type,
      r.merchant_account_id, r.settlement_tx_id, r.unique_id, r.short_id, r.amount_minor, r.currency,
      r.settlement_amount_minor, r.settlement_currency, r.settlement_date::text as settlement_date,
      r.settlement_status, nullif(m.status::text, 'NOT_APPLICABLE') as matching_status,
      ${matchedPaymentIds(tx)} as matched_transactions, m.matched_by::text as matched_by,
      p.id as payment_id, p.merchant_transaction_id, p.merchant_invoice_id, l.chargeback_id,
      d.expected, d.actual, d.difference_minor, d.message, d.first_seen_run,
      ${differenceCurrency(tx)} as difference_currency, m.matched_through,
      p.amount_minor as paid_amount_minor, p.currency as paid_currency,
      (p.requested_at at time zone ${due.timezone})::date::text as paid_on, p.payment_type as paid_as,
      nullif(p.entity_id, '') as paid_account
    from discrepancies d
    left join settlement_files f on f.id = d.file_id
    left join settlement_records r on r.file_id = d.file_id and r.line = d.line
    left join record_matches m on m.file_id = d.file_id and m.line = d.line
    left join chargeback_links l on l.file_id = d.file_id and l.line = d.line
    left join payments p on p.key = case when d.file_id is null then d.payment_key else m.payment_key end
    where d.id in (${discrepanciesInScope(tx, scope, due)})
    order by (d.file_id is null), r.settlement_date, coalesce(r.settlement_tx_id, '') collate "C",
      r.fingerprint, r.occurrence, p.id collate "C", d.code collate "C", d.id collate "C"`.cursor(rowsAtOnce);
  for await (const batch of readAhead(batches))
    yield batch.map((row) => columns.map(([, cell]) => cell(row)));
}
