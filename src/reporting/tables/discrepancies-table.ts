import type { Tx } from '../../db/client.js';
import { isDivided } from '../../db/shards/is-divided.js';
import type { DueSettings, RunScope } from '../../db/run-scope.js';
import type { CsvFormat } from './csv-cells.js';
import { readLines, type ColumnWatcher, type LineColumn } from './csv-lines.js';
import {
  discrepanciesInScope,
  isReported,
  joiningRows,
  type JoinRow,
} from '../scope/discrepancies-in-scope.js';
import { candidateIds, type CandidateIds } from '../../findings/candidate-ids.js';
import { chargebackIdInEffect } from '../../findings/chargeback-id-in-effect.js';
import { differenceCurrency, statedMoney } from '../../findings/stated-money.js';
import type { DiscrepancyTally } from '../totals/discrepancy-tally.js';
import { matchedPaymentIds } from '../../findings/matched-payment-ids.js';
import type { FileId } from '../../values/ids.js';
import type { Table } from './write-table.js';

/**
 * The columns of design 6 in their order, each with its kind and its column in the statement; and what is only counted.
 */
const columns = (
  [
    ['DiscrepancyId', 'text', 'id'],
    ['Code', 'text', 'code'],
    ['Severity', 'text', 'severity'],
    ['Source', 'text', 'source'],
    ['File', 'text', 'file'],
    ['Line', 'count', 'line'],
    ['ReconciliationType', 'text', 'reconciliation_type'],
    ['PaymentType', 'text', 'payment_type'],
    ['MerchantAccountId', 'text', 'merchant_account_id'],
    ['SettlementTxId', 'text', 'settlement_tx_id'],
    ['UniqueID', 'text', 'unique_id'],
    ['ShortId', 'text', 'short_id'],
    ['Amount', 'amount', 'amount_minor'],
    ['Currency', 'text', 'currency'],
    ['SettlementAmount', 'amount', 'settlement_amount_minor'],
    ['SettlementCurrency', 'text', 'settlement_currency'],
    ['SettlementDate', 'date', 'settlement_date'],
    ['SettlementStatus', 'text', 'settlement_status'],
    ['MatchingStatus', 'text', 'matching_status'],
    ['MatchedTransactions', 'text', 'matched_transactions'],
    ['MatchedBy', 'text', 'matched_by'],
    ['PaymentId', 'text', 'payment_id'],
    ['MerchantTransactionId', 'text', 'merchant_transaction_id'],
    ['MerchantInvoiceId', 'text', 'merchant_invoice_id'],
    ['ChargebackId', 'text', 'chargeback_id'],
    ['Expected', 'amountOrText', 'expected'],
    ['Actual', 'amountOrText', 'actual'],
    ['Difference', 'amount', 'difference_minor'],
    ['Message', 'freeText', 'message'],
    ['FirstSeenRun', 'count', 'first_seen_run'],
    ['DifferenceCurrency', 'text', 'difference_currency'],
    ['MatchedThrough', 'text', 'matched_through'],
    ['PaidAmount', 'amount', 'paid_amount_minor'],
    ['PaidCurrency', 'text', 'paid_currency'],
    ['PaidOn', 'date', 'paid_on'],
    ['PaidAs', 'text', 'paid_as'],
    ['PaidAccount', 'text', 'paid_account'],
    [null, 'amount', 'stated_minor'],
    [null, 'text', 'stated_currency'],
  ] as const
).map(([name, kind, column]): LineColumn => ({ name, kind, column }));

const header = columns.map(({ name }) => name).filter((name) => name !== null);

/** Which discrepancies are listed, and how. */
interface DiscrepancyList {
  readonly scope: RunScope;
  readonly due: DueSettings;
  readonly format: CsvFormat;
  /** Gets each of them while the table is written. */
  readonly tally: DiscrepancyTally;
}

/**
 * `discrepancies.csv`: what is open on the scope, records first in the order of design 4.6, then payments
 * by id; each followed by its codes.
 */
export function discrepanciesTable(tx: Tx, list: DiscrepancyList): Table {
  return { name: 'discrepancies', header, rows: readRows(tx, list) };
}

async function* readRows(tx: Tx, { scope, due, format, tally }: DiscrepancyList) {
  const { join, fileIds } = await joiningRows(tx, scope);
  const candidates = candidateIds(tx, await isDivided(tx));
  const rows = selectRows(tx, { scope, due, fileIds }, join, candidates);
  yield* readLines(tx, { columns, rows, order: inOrder(tx), watcher: adding(tally) }, format);
}

/** Adds the money that each finding states. */
function adding(tally: DiscrepancyTally): ColumnWatcher {
  return {
    columns: ['code', 'severity', 'stated_currency', 'stated_minor'],
    take: ([code = '', severity = '', currency = '', minor = '']) => {
      const amountMinor = BigInt(minor.startsWith('-') ? minor.slice(1) : minor);
      tally.add({ code, severity, currency, count: 1, amountMinor });
    },
  };
}

/** Over the columns of {@link selectRows}. */
function inOrder(tx: Tx) {
  return tx`i.of_payment, i.settled_on, i.sort_tx_id collate "C", i.fingerprint, i.occurrence,
    i.payment_id collate "C", i.code collate "C", i.id collate "C"`;
}

function selectRows(
  tx: Tx,
  { scope, due, fileIds }: Pick<DiscrepancyList, 'scope' | 'due'> & { readonly fileIds: readonly FileId[] },
  join: JoinRow,
  candidates: CandidateIds,
) {
  const stated = statedMoney(tx);
  return tx`
    select d.file_id is null as of_payment, r.settlement_date as settled_on,
      coalesce(r.settlement_tx_id, '') as sort_tx_id, r.fingerprint, r.occurrence, d.id, d.code, d.severity, f.source, f.name as file, d.line, r.reconciliation_type, r.payment_type,
      r.merchant_account_id, r.settlement_tx_id, r.unique_id, r.short_id, r.amount_minor, r.currency,
      r.settlement_amount_minor, r.settlement_currency, r.settlement_date::text as settlement_date,
      r.settlement_status, nullif(m.status::text, 'NOT_APPLICABLE') as matching_status,
      ${matchedPaymentIds(tx, tx`p.id`, undefined, candidates.ids)} as matched_transactions, m.matched_by::text as matched_by,
      p.id as payment_id, p.merchant_transaction_id, p.merchant_invoice_id, ${chargebackIdInEffect(tx)} as chargeback_id,
      d.expected, d.actual, d.difference_minor, d.message, d.first_seen_run,
      ${differenceCurrency(tx)} as difference_currency, m.matched_through,
      p.amount_minor as paid_amount_minor, p.currency as paid_currency,
      (p.requested_at at time zone ${due.timezone})::date::text as paid_on, p.payment_type as paid_as,
      nullif(p.entity_id, '') as paid_account,
      ${stated.amountMinor} as stated_minor, ${stated.currency} as stated_currency
    from (${discrepanciesInScope(tx, scope, due, fileIds)}) d
    left join settlement_files f on f.id = d.file_id
    ${join('settlement_records', 'r', tx`r.file_id = d.file_id and r.line = d.line`)}
    ${join('record_matches', 'm', tx`m.file_id = d.file_id and m.line = d.line`)}
    ${join('chargeback_links', 'l', tx`l.file_id = d.file_id and l.line = d.line`)}
    ${join('payments', 'p', tx`p.key = case when d.file_id is null then d.payment_key else m.payment_key end`)}${candidates.join}
    where ${isReported(tx, scope, due)}`;
}
