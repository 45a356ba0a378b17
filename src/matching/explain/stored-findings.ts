import { formatAmount } from '../../values/money.js';
import type { ItemStanding } from '../../findings/open-item.js';
import { remedyOf } from '../../findings/discrepancy-codes.js';
import { differenceCurrency } from '../../findings/stated-money.js';
import { matchedPaymentIds } from '../../findings/matched-payment-ids.js';
import { recordsAndRemovedOfPayments } from '../discrepancies/records-of-payments.js';
import { settlements } from '../discrepancies/settlement-sums.js';
import { amountText, recordOrder, type Fragment, type Tx } from '../fragment.js';
import type {
  ExplainedChargeback,
  ExplainedDiscrepancy,
  ExplainedRecord,
  ExplainSettings,
  MatchResult,
  SettlementLine,
  TitledTx,
} from './explanation.js';
import type { RecordAddress } from './find-record.js';
import type { RunId } from '../../values/ids.js';

/** The stored result of a record's match. */
export async function storedMatch(
  tx: Tx,
  { fileId, line }: RecordAddress,
): Promise<ExplainedRecord['stored']> {
  const [row] = await tx<(Omit<MatchResult, 'payments'> & { ids: string; runId: RunId })[]>`
    select m.status, m.matched_by as "matchedBy", m.matched_through as "matchedThrough", m.run_id as "runId",
      coalesce(${matchedPaymentIds(tx)}, '') as ids
    from record_matches m
    where m.file_id = ${fileId} and m.line = ${line}`;
  if (row === undefined) return null;
  const { ids, ...match } = row;
  return { ...match, payments: ids === '' ? [] : ids.split(',') };
}

/** The settlements of the record's payment with their running sum. */
export async function settlementsOf(tx: Tx, { fileId, line }: RecordAddress): Promise<SettlementLine[]> {
  const payment = tx`select payment_key from record_matches where file_id = ${fileId} and line = ${line}`;
  const rows = await tx<SettlementLine[]>`
    select f.name as file, r.line, coalesce(d.settlement_date, r.settlement_date) as "settlementDate",
      r.settlement_tx_id as "settlementTxId",
      ${amountText(tx, tx`r.amount_minor`)} as amount, r.duplicate,
      ${amountText(
        tx,
        tx`r.running - sum(case when r.duplicate then r.amount_minor else 0 end)
        over (order by ${recordOrder(tx)} rows unbounded preceding)`,
      )} as sum,
      ${amountText(tx, tx`r.payment_amount`)} as "paymentAmount", r.currency
    from (${settlements(tx, recordsAndRemovedOfPayments(tx, payment))}) r join settlement_files f on f.id = r.file_id
    left join removed_settlements d on d.file_id = r.file_id and d.line = r.line
    order by ${recordOrder(tx)}`;
  return [...rows];
}

/** The chargeback id of a record, and the other records with that id that count. */
export async function chargebackOf(
  tx: Tx,
  { fileId, line }: RecordAddress,
): Promise<ExplainedChargeback | null> {
  const rows = await tx<(Omit<ExplainedChargeback, 'counterpart' | 'counterparts'> & OtherRecord)[]>`
    select l.chargeback_id as "chargebackId", p.id as "paymentId", l.kind, l.run_id as "runId",
      f.name as "otherFile", o.line as "otherLine", b.amount_minor as "otherMinor", b.currency as "otherCurrency"
    from chargeback_links l
    join payments p on p.key = l.payment_key
    left join chargeback_links o on o.chargeback_id = l.chargeback_id and o.kind <> l.kind and o.active
    left join settlement_files f on f.id = o.file_id
    left join payments b on b.id = o.booking_id
    where l.file_id = ${fileId} and l.line = ${line}
    order by o.file_id, o.line`;
  const [row] = rows;
  if (row === undefined) return null;
  const counterparts = rows.flatMap(({ otherFile, otherLine, otherMinor, otherCurrency }) =>
    otherFile === null || otherLine === null
      ? []
      : [
          {
            file: otherFile,
            line: otherLine,
            amount: formatAmount(otherMinor ?? 0n),
            currency: otherCurrency ?? '',
          },
        ],
  );
  const { chargebackId, paymentId, kind, runId } = row;
  const [first] = counterparts;
  const counterpart = first === undefined ? null : { file: first.file, line: first.line };
  return { chargebackId, paymentId, kind, runId, counterpart, counterparts };
}

/** All null without another record. */
interface OtherRecord {
  readonly otherFile: string | null;
  readonly otherLine: number | null;
  readonly otherMinor: bigint | null;
  readonly otherCurrency: string | null;
}

/** Stored discrepancies `d`, open ones first. */
export async function discrepanciesOf(
  titled: TitledTx,
  condition: (tx: Tx) => Fragment,
  standingsOf: ExplainSettings['standingsOf'],
): Promise<ExplainedDiscrepancy[]> {
  const tx = titled('Read the stored discrepancies');
  const rows = await tx<StoredDiscrepancy[]>`
    select d.id, d.code, d.severity, d.expected, d.actual, d.difference_minor as minor, d.message,
      d.first_seen_run as "firstSeenRun", d.resolved_run as "resolvedRun",
      ${differenceCurrency(tx)} as "differenceCurrency"
    from discrepancies d
    left join settlement_records r on r.file_id = d.file_id and r.line = d.line
    left join payments p on p.key = d.payment_key
    where ${condition(tx)}
    order by d.resolved_run is not null, d.code, d.id`;
  const standings = await standingsOf(
    titled('Read what was decided about them'),
    rows.map(({ id }) => id),
  );
  return rows.map(({ minor, ...discrepancy }) => ({
    ...discrepancy,
    difference: minor === null ? null : formatAmount(minor),
    remedy: remedyOf(discrepancy.code, discrepancy.severity),
    ...(standings.get(discrepancy.id) ?? undecided(discrepancy)),
  }));
}

interface StoredDiscrepancy extends Omit<ExplainedDiscrepancy, 'difference' | 'remedy' | keyof ItemStanding> {
  readonly minor: bigint | null;
}

function undecided({ resolvedRun }: Pick<StoredDiscrepancy, 'resolvedRun'>): ItemStanding {
  return {
    status: resolvedRun === null ? 'OPEN' : 'RESOLVED',
    lapsed: false,
    pending: false,
    decision: null,
    until: null,
    reason: null,
    decidedBy: null,
    decidedOn: null,
  };
}
