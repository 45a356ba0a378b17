import type {
  CandidatePayment,
  Comparison,
  ExplainedDecision,
  ExplainedDiscrepancy,
  ExplainedRecord,
  ExplainedStep,
  Explanation,
  KeyTrial,
  MatchResult,
  RecordFacts,
  SettlementLine,
} from './explanation.js';
import { deliveryDecisionText, type DeliveryDecision } from './delivery-decision.js';
import { namedChargebackText } from './named-chargeback.js';
import { pendingWithdrawalText } from './pending-withdrawal.js';
import { isExcluded, uncountedText } from './why-uncounted.js';
import { isBooked } from '../type-fit.js';

/** An explanation as lines of text for a person at a terminal. Pure. */
export function formatExplanation(explanation: Explanation): string {
  return `${linesOf(explanation).join('\n')}\n`;
}

function linesOf(explanation: Explanation): string[] {
  switch (explanation.kind) {
    case 'ambiguous':
      return [
        `"${explanation.reference}" means ${explanation.possibilities.length} records; name one of them:`,
        ...shortened(
          explanation.possibilities.map(
            ({ fileId, line, file, settlementTxId, uniqueId }) =>
              `  ${fileId}:${line}  ${file} line ${line}  SettlementTxId ${settlementTxId ?? '-'}  UniqueID ${uniqueId ?? '-'}`,
          ),
        ),
      ];
    case 'payment':
      return [`Payment ${describe(explanation.payment)}`, ...discrepancyLines(explanation.discrepancies)];
    case 'record':
      return recordLines(explanation.record);
  }
}

function recordLines(record: ExplainedRecord): string[] {
  const { address, facts } = record;
  return [
    `${address.file} line ${address.line} (file ${address.fileId}): ${facts.reconciliationType} ${facts.paymentType} ` +
      `${facts.amount} ${facts.currency} of ${facts.settlementDate}, SettlementTxId ${address.settlementTxId ?? '-'}`,
    ...(record.uncounted === null ? [] : [uncountedText(record.uncounted, isDecided(record.delivery))]),
    ...(record.pendingWithdrawal === null ? [] : [pendingWithdrawalText(record.pendingWithdrawal)]),
    ...(record.delivery === null ? [] : [deliveryDecisionText(record.delivery, record.uncounted === null)]),
    ...correctionLines(record),
    ...section('Decided by people', record.decisions.map(decisionLine)),
    '',
    ...(record.matchable ? ['Keys, strongest first', ...allKeyLines(record)] : [feeText(facts)]),
    ...section(
      'None of these has a type that fits; payments of their family that have one',
      record.family.map((payment) => `  ${describe(payment)}`),
    ),
    ...(record.familyFindsTooMany ? ['', crowdedFamilyText(facts)] : []),
    ...section('Narrowing', record.narrowing.map(stepLine)),
    '',
    ...resultLines(record),
    ...section(
      'Compared',
      record.comparisons
        .filter((each) => each.verdict !== 'does not apply')
        .map((each) => comparisonLine(each, facts)),
    ),
    ...section('Settlements of the payment', record.settlements.map(settlementLine)),
    ...chargebackLines(record),
    ...discrepancyLines(record.discrepancies),
  ];
}

/** Whether somebody has decided which of two deliveries counts, and that is still about them. */
const isDecided = (delivery: DeliveryDecision | null) =>
  delivery !== null && delivery.decision !== null && !delivery.isFormer;

function crowdedFamilyText({ reconciliationType }: RecordFacts): string {
  const why =
    'None of these has a type that fits; too many payments of their family fit equally well (matching.maxPaymentsPerKey), so none of those is identified';
  return isBooked(reconciliationType) ? `${why}, and a chargeback is booked on no other payment` : why;
}

/** Why a fee has no payment. */
function feeText({ paymentType }: RecordFacts): string {
  if (paymentType === 'BATCH') return 'A fee of a payout, not of one payment: it is not matched.';
  if (paymentType.endsWith('_FEE'))
    return 'A fee that names no payment: it counts as a fee of the account and is not matched.';
  return 'A fee of the account, not of one payment: it is not matched.';
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...shortened(lines)];
}

/** Lines of a long list that are shown of its beginning and of its end: the last settlement has the sum. */
const shownOfEachEnd = 25;

/** A payment may have a hundred thousand settlements, which nobody reads on a terminal. */
function shortened(lines: readonly string[]): string[] {
  const hidden = lines.length - 2 * shownOfEachEnd;
  if (hidden <= 1) return [...lines];
  return [
    ...lines.slice(0, shownOfEachEnd),
    `    … ${hidden} more (recon explain --json shows all) …`,
    ...lines.slice(-shownOfEachEnd),
  ];
}

function correctionLines({ correction }: ExplainedRecord): string[] {
  if (correction === null) return [];
  const { by, on, sheet, sheetLine, problems } = correction;
  return [
    `The row was rejected: ${problems}`,
    `${by} corrected it on ${on} (${sheet} line ${sheetLine}); the original is kept.`,
  ];
}

function decisionLine({ kind, payment, by, on, reason }: ExplainedDecision): string {
  const what =
    kind === 'link'
      ? `belongs to payment ${payment}, whatever the keys find`
      : `does not belong to payment ${payment}`;
  return `  ${kind.padEnd(8)} ${what} (${by}, ${on})${reason === null ? '' : `: ${reason}`}`;
}

function allKeyLines({ keys, namedChargeback }: ExplainedRecord): string[] {
  return keys.flatMap((trial) =>
    trial.key === 'UNIQUE_ID' && namedChargeback !== null
      ? [...keyLines(trial), namedChargebackText(namedChargeback)]
      : keyLines(trial),
  );
}

function keyLines({ key, value, outcome, found }: KeyTrial): string[] {
  const reason =
    outcome === 'finds too many'
      ? ' payments (matching.maxPaymentsPerKey), so it identifies none'
      : outcome === 'finds only unlinked'
        ? ' payments'
        : outcome === 'would decide'
          ? ' if the record counted'
          : '';
  const heading = `  ${key.padEnd(16)} ${value ?? '-'}: ${outcome}${reason}`;
  return found.length === 0
    ? [heading]
    : [
        `${heading}, ${payments(found.length)}`,
        ...shortened(found.map((payment) => `    ${describe(payment)}`)),
      ];
}

function describe({
  id,
  paymentType,
  amount,
  currency,
  outcome,
  resultCode,
  requestedAt,
}: CandidatePayment): string {
  return `${id}  ${paymentType} ${amount} ${currency}  ${outcome} (${resultCode})  ${requestedAt}`;
}

function stepLine({ keeps, kept, dropped, skipped }: ExplainedStep): string {
  if (skipped) return `  ${keeps}: none, so the step is skipped`;
  return `  ${keeps}: ${payments(kept.length)} left${dropped.length === 0 ? '' : `, without ${dropped.join(', ')}`}`;
}

function resultLines(record: ExplainedRecord): string[] {
  const { now, stored, chargeback } = record;
  if (stored === null)
    return [`Result: not matched by a run yet; the next run would give ${resultText(now)}`];
  const lines = [`Result: ${resultText(stored)}, by run ${stored.runId}`];
  const isWithdrawn = isExcluded(record.uncounted) || record.pendingWithdrawal?.kind === 'withdraw';
  if (resultText(stored) === resultText(now) || isWithdrawn) return lines;
  if (isUndecided(record, stored)) {
    return [
      ...lines,
      `  The next run, or a re-run of its settlement date, makes it ${resultText(now)}, as decided.`,
    ];
  }
  const reason =
    chargeback === null
      ? 'the payments have changed since; a re-run of its settlement date would store it'
      : 'it keeps its payment, because a chargeback id was given for it';
  return [...lines, `  Today's payments would give ${resultText(now)}: ${reason}.`];
}

/** Whether no run has acted on a link or unlink, or on its undo, yet. */
function isUndecided({ decisions }: ExplainedRecord, stored: MatchResult): boolean {
  const linked = decisions.find(({ kind }) => kind === 'link');
  return (
    (stored.matchedBy === 'MANUAL') !== (linked !== undefined) ||
    (linked !== undefined && !stored.payments.includes(linked.payment)) ||
    decisions.some(({ kind, payment }) => kind === 'unlink' && stored.payments.includes(payment))
  );
}

function resultText({ status, matchedBy, matchedThrough, payments }: MatchResult): string {
  return [
    status,
    // A record that does not count keeps its key, but it has no payment.
    matchedBy === null || status === 'NOT_APPLICABLE' ? '' : `by ${matchedBy}`,
    matchedThrough === null ? '' : 'through a reference',
    payments.join(', '),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function comparisonLine({ code, verdict, expected, actual }: Comparison, facts: RecordFacts): string {
  // The only check that states amounts; they are in the settlement currency.
  const currency = code === 'FX_MISMATCH' ? ` ${facts.settlementCurrency}` : '';
  const values =
    expected === actual
      ? `${actual ?? '-'}${currency}`
      : `expected ${expected ?? '-'}${currency}, found ${actual ?? '-'}${currency}`;
  const isExplained = code === 'FX_MISMATCH' && verdict === 'in order' && expected !== actual;
  return `  ${verdict === 'discrepancy' ? 'WRONG' : 'ok   '} ${code.padEnd(27)} ${values}${isExplained ? ': the fee or the rounding of the rate explains it' : ''}`;
}

function settlementLine(each: SettlementLine): string {
  const sum = each.duplicate
    ? 'duplicate, left out'
    : `sum ${each.sum} of ${each.paymentAmount} ${each.currency}`;
  return `  ${each.settlementDate}  ${each.file} line ${each.line}  ${each.settlementTxId ?? '-'}  ${each.amount} ${each.currency}  ${sum}`;
}

function chargebackLines({ chargeback }: ExplainedRecord): string[] {
  if (chargeback === null) return [];
  const { kind, chargebackId, paymentId, runId, counterparts } = chargeback;
  const others = counterparts.map(
    ({ file, line, amount, currency }) => `${file} line ${line} (${amount} ${currency})`,
  );
  const other =
    others.length === 0
      ? 'open'
      : `${kind === 'CHARGEBACK' ? 'reversed by' : 'reverses'} ${others.join(', ')}`;
  return ['', `Chargeback ${chargebackId} of payment ${paymentId}, given by run ${runId}: ${other}`];
}

function discrepancyLines(discrepancies: readonly ExplainedDiscrepancy[]): string[] {
  return section(
    'Discrepancies',
    discrepancies.flatMap((each) => [
      `  ${each.code} (${each.severity}) ${stateText(each)}, first seen in run ${each.firstSeenRun}, ${each.id}`,
      `    ${each.message}${each.difference === null ? '' : ` Difference ${each.difference} ${each.differenceCurrency ?? ''}.`}`,
      ...(each.status === 'RESOLVED' || each.reason === null ? [] : [`    Reason: ${each.reason}`]),
      ...(each.status === 'OPEN' || each.status === 'WAITING' ? [`    ${each.remedy}`] : []),
    ]),
  );
}

/** The state of a finding, and the decision that it follows from. */
function stateText(each: ExplainedDiscrepancy): string {
  const by = `${each.decidedBy ?? ''} on ${each.decidedOn ?? ''}`;
  switch (each.status) {
    case 'RESOLVED':
      return `resolved by run ${each.resolvedRun}`;
    case 'ACCEPTED':
      return `accepted by ${by}`;
    case 'WAITING':
      return `waiting until ${each.until} (${by})`;
    case 'OPEN':
      if (each.pending) return `open: accepted by ${by}, which a second person has to approve`;
      return each.lapsed ? `open again: its facts changed after ${lapsedDecision(each)}` : 'open';
  }
}

function lapsedDecision({ decision, until, decidedBy, decidedOn }: ExplainedDiscrepancy): string {
  return decision === 'wait'
    ? `${decidedBy} decided on ${decidedOn} to wait until ${until}`
    : `${decidedBy} accepted it on ${decidedOn}`;
}

function payments(count: number): string {
  return count === 1 ? '1 payment' : `${count} payments`;
}
