import { checkRecord } from './check-records.js';
import { checkChargedBack, checkFailure, checkSettledAmount, paymentOf, type Ledger } from './check-sums.js';
import { amountFinding, textFinding, type Finding } from './findings.js';
import { moneyOf } from './check-records.js';
import { fits } from './fitting-types.js';
import { linkChargebacks, type ChargebackHistory, type ChargebackOutcome } from './link-chargebacks.js';
import { matchRecords, type Match, type MatchingWorld } from './match-records.js';
import type { Payment } from './payments.js';
import { compareRecords, type SettlementRecord } from './records.js';
import { judgeDeliveries, redelivered, type Deliveries, type DeliveryDecision } from './judge-deliveries.js';
import { dayAfter, type Settings } from './world.js';

/** What a run has to report about everything that is stored. */
export interface Judgement {
  readonly matches: ReadonlyMap<SettlementRecord, Match>;
  readonly chargebacks: ChargebackOutcome;
  readonly findings: readonly Finding[];
  /** The later deliveries that nobody has decided about. */
  readonly waiting: Deliveries['waiting'];
}

/** What is judged. */
export interface Stored {
  /** Those of files that are not withdrawn. */
  readonly records: readonly SettlementRecord[];
  readonly deliveryDecisions: ReadonlyMap<string, DeliveryDecision>;
  readonly settings: Settings;
  readonly world: MatchingWorld;
  readonly history: ChargebackHistory;
  readonly asOf: string;
  /** Whether a payment is looked at that is due and has no settlement. */
  readonly isInScope: (payment: Payment) => boolean;
}

/** Whether a record takes part in sums. */
type Counts = (record: SettlementRecord) => boolean;

/** Evaluates the rules of design 4.4 to 4.6, from nothing, over all that is stored. */
export function judge({ records, world, history, asOf, settings, isInScope, ...stored }: Stored): Judgement {
  const deliveries = judgeDeliveries(records, stored.deliveryDecisions, settings.corrections);
  const counts = (record: SettlementRecord) => !deliveries.waiting.has(record);
  const matches = matchRecords(
    records.filter((record) => !deliveries.superseded.has(record)),
    counts,
    world,
  );
  const chargebacks = linkChargebacks(matches, counts, history);
  const ledgers = ledgersOf(matches, counts);
  const reversed = (payment: Payment) => reversedAmount(payment, world.payments);
  const findings: Finding[] = [];
  for (const [record, match] of matches) {
    const payment = paymentOf(match);
    findings.push(...checkRecord(record, match, { reversedAmount: reversed, settings }));
    findings.push(...checkFailure(record, payment, payment && ledgers.get(payment)));
    const former = deliveries.waiting.get(record);
    if (former !== undefined) findings.push(redelivered(record, former, payment));
    if (waitsForChargeback(record, match, { counts, chargebacks })) findings.push(waiting(record, payment));
  }
  for (const ledger of ledgers.values()) {
    findings.push(...checkSettledAmount(ledger, settings));
    findings.push(...checkChargedBack(ledger, chargebacks.linked));
  }
  const failed = findings.filter(({ code }) => code === 'SETTLEMENT_FAILED');
  for (const payment of world.payments.values()) {
    if (!isDue(payment, dayAfter(asOf, -settings.settlementDueDays)) || !isInScope(payment)) continue;
    if (reversed(payment) >= payment.amount || isSettled(payment, { matches, counts, failed })) continue;
    findings.push(missing(payment));
  }
  return { matches, chargebacks, findings, waiting: deliveries.waiting };
}

/** The records that take part in the sums of each payment, in the order of design 4.6. */
function ledgersOf(
  matches: ReadonlyMap<SettlementRecord, Match>,
  counts: (record: SettlementRecord) => boolean,
): Map<Payment, Ledger> {
  const ledgers = new Map<Payment, Ledger & { records: SettlementRecord[] }>();
  for (const record of [...matches.keys()].sort(compareRecords)) {
    const payment = paymentOf(matches.get(record));
    if (payment === undefined || !counts(record) || !fits(record, payment.type)) continue;
    const ledger = ledgers.get(payment) ?? { payment, records: [] };
    ledger.records.push(record);
    ledgers.set(payment, ledger);
  }
  return ledgers;
}

function reversedAmount(payment: Payment, payments: ReadonlyMap<string, Payment>): number {
  return [...payments.values()]
    .filter(
      ({ type, result, references }) => type === 'RV' && result === 'success' && references === payment.id,
    )
    .reduce((sum, { amount }) => sum + amount, 0);
}

function waitsForChargeback(
  record: SettlementRecord,
  match: Match,
  { counts, chargebacks }: { counts: Counts; chargebacks: ChargebackOutcome },
): boolean {
  const isReversal = record.type === 'CHARGEBACK REVERSAL' && !record.hasFailed;
  return isReversal && match.status === 'MATCHED' && counts(record) && !chargebacks.linked.has(record);
}

function waiting(record: SettlementRecord, payment: Payment | undefined): Finding {
  const compared = { payment, expected: 'an open chargeback', actual: 'none', atRisk: moneyOf(record) };
  return textFinding('REVERSAL_WITHOUT_CHARGEBACK', record, compared);
}

const settledTypes = ['DB', 'CP', 'CD', 'RF'];

function isDue({ type, result, day }: Payment, lastDay: string): boolean {
  return settledTypes.includes(type) && result === 'success' && day <= lastDay;
}

function isSettled(
  payment: Payment,
  seen: { matches: Judgement['matches']; counts: Counts; failed: readonly Finding[] },
): boolean {
  for (const [record, { payments }] of seen.matches) {
    if (!payments.includes(payment) || record.type !== 'SETTLED') continue;
    // A candidate is not missing, whatever its type; a record that names one payment of another type settles none.
    if (!seen.counts(record) || (payments.length === 1 && !fits(record, payment.type))) continue;
    if (!record.hasFailed) return true;
    if (payments.length === 1 && seen.failed.some((finding) => finding.record === record)) return true;
  }
  return false;
}

function missing(payment: Payment): Finding {
  const { amount, currency, type } = payment;
  const atRisk = type === 'DB' || type === 'CP' ? amount : -amount;
  const compared = { expected: amount, actual: 0, currency, atRisk };
  return amountFinding('MISSING_SETTLEMENT', { payment, ofPayment: true }, compared);
}
