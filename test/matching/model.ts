import { narrow } from '../../src/matching/narrowing.js';
import { fittingTypes } from './fitting-types.js';
import { formatAmount } from '../../src/values/money.js';
import { byCodeAndSubject, shortened, type Finding } from './findings.js';
import { Chargebacks } from './model-chargebacks.js';
import {
  differingCells,
  inOrder,
  judgeDeliveries,
  type Corrections,
  type Delivery,
  type DeliveryDecisions,
  type TestRepeat,
} from './model-deliveries.js';
import type { TestPayment, TestRecord } from './scenario.js';

/**
 * A second implementation of design 4.4 to 4.6: simple, slow and over arrays. Property tests compare the SQL with it.
 * It shares the narrowing and the table of fitting types with the program, because these define the behaviour;
 * everything else is written from the design.
 */
export interface MatchingInput {
  readonly payments: readonly TestPayment[];
  readonly records: readonly TestRecord[];
  readonly rules: Rules;
  /** The links and unlinks in effect (design 4.9). */
  readonly links?: readonly TestLink[];
  readonly repeats?: readonly TestRepeat[];
  /** Withdrawn files, and what was decided about redelivered records (design 4.8). */
  readonly decisions?: DeliveryDecisions;
}

/** A person's decision that a record (`name/occurrence`) belongs to a payment, or does not belong to it. */
export interface TestLink {
  readonly record: string;
  readonly kind: 'link' | 'unlink';
  readonly payment: string;
}

/** The settings that change results (design 4.6, 4.8). */
export interface Rules {
  readonly corrections: Corrections;
  /** Hundredths by currency. */
  readonly tolerance: ReadonlyMap<string, bigint>;
  /** The name in a file → the name of the payment. */
  readonly brandAliases: ReadonlyMap<string, string>;
  readonly maxPaymentsPerKey: number;
}

export interface Match {
  readonly status: string;
  readonly by: string | null;
  readonly payments: readonly TestPayment[];
  readonly through?: 'REFERENCE';
}

export interface Judged {
  /** `name/occurrence` → status, key and payments; without chargeback ids. */
  readonly matches: Record<string, string>;
  readonly findings: Finding[];
  /** `name/occurrence` of a reversal → that of the chargeback it takes. */
  readonly reversals: Record<string, string>;
  /**
   * `name/occurrence` of a record with a chargeback id → that of the record it is derived from, and the booked amount.
   */
  readonly booked: Record<string, string>;
  /** The subjects of each AMOUNT_MISMATCH within the tolerance. */
  readonly tolerated: readonly string[];
}

/** What is known about all records once they are matched. */
interface World {
  readonly payments: readonly TestPayment[];
  /** In the order of design 4.6. */
  readonly records: readonly TestRecord[];
  readonly rules: Rules;
  readonly matches: ReadonlyMap<TestRecord, Match>;
  readonly deliveries: ReadonlyMap<TestRecord, Delivery>;
  readonly chargebacks: Chargebacks;
}

/** Judges records and payments that arrived in one run. */
export function judge(input: MatchingInput, due: { from: string; to: string }): Judged {
  return judgeRuns([input], due);
}

/**
 * Judges what is known after several runs: each input holds everything that was stored by the time of the run. Only
 * chargeback ids depend on the runs before the last.
 */
export function judgeRuns(inputs: readonly MatchingInput[], due: { from: string; to: string }): Judged {
  const chargebacks = new Chargebacks();
  const worlds = inputs.map((input) => matchAll(input, chargebacks));
  const world = worlds.at(-1);
  if (world === undefined) throw new Error('there is at least one run');
  const { records, matches, payments } = world;
  const findings = [
    ...records.flatMap((record) => findingsOfRecord(record, world)),
    ...payments.flatMap((payment) => findingsOfPayment(payment, world)),
    ...payments.filter((payment) => isMissing(payment, world, due)).map(missing),
  ];
  return {
    matches: Object.fromEntries([...matches].map(([record, found]) => [keyOf(record), lineOf(found)])),
    findings: findings.sort(byCodeAndSubject),
    reversals: Object.fromEntries(
      records.flatMap((record) => {
        const taken = chargebacks.reversedBy(record);
        return record.reconciliationType === 'CHARGEBACK' || taken === undefined
          ? []
          : [[keyOf(record), keyOf(taken)]];
      }),
    ),
    booked: Object.fromEntries(
      chargebacks
        .booked()
        .map(([record, of, amount]) => [keyOf(record), `${keyOf(of)} ${formatAmount(amount)}`]),
    ),
    tolerated: payments.flatMap((payment) => tolerated(payment, world)).sort(),
  };
}

function matchAll(input: MatchingInput, chargebacks: Chargebacks): World {
  const { payments, rules } = input;
  const records = [...input.records].sort(inOrder);
  const deliveries = judgeDeliveries(records, rules.corrections, input.repeats, input.decisions);
  const matchOne = (record: TestRecord): Match =>
    isOut(deliveries.get(record))
      ? { status: 'NOT_APPLICABLE', by: null, payments: [] }
      : (asNow(chargebacks.kept.get(record), payments) ?? decided(record, input));
  const first = new Map(records.map((record) => [record, matchOne(record)]));
  const matches = decideByRoom({ payments, records, rules, matches: first, deliveries, chargebacks });
  chargebacks.assign(records, matches, deliveries);
  return { payments, records, rules, matches, deliveries, chargebacks };
}

/** A former match with its payments as they are now. */
function asNow(match: Match | undefined, payments: readonly TestPayment[]): Match | undefined {
  if (match === undefined) return undefined;
  const ids = match.payments.map(({ id }) => id);
  return { ...match, payments: payments.filter(({ id }) => ids.includes(id)) };
}

/** Whether a record counts for nothing: it has no payment, and no check applies to it. */
function isOut(delivery: Delivery | undefined): boolean {
  return delivery !== undefined && delivery.state !== 'waits';
}

export function keyOf(record: TestRecord): string {
  return `${record.name}/${record.occurrence}`;
}

function lineOf(found: Match): string {
  const ids = found.payments
    .map((payment) => shortened(payment.id))
    .sort()
    .join(',');
  return [found.status, found.by, found.through ?? null, ids]
    .filter((part) => part !== null && part !== '')
    .join(' ');
}

function isSuccess(payment: TestPayment): boolean {
  return payment.resultCode.startsWith('000.000.');
}

/** What a person linked is matched, and a payment that a record was unlinked from is none of its payments. */
function decided(record: TestRecord, { payments, rules, links = [] }: MatchingInput): Match {
  const own = links.filter((each) => each.record === keyOf(record));
  const linked = own.find(({ kind }) => kind === 'link');
  if (linked !== undefined) {
    return { status: 'MATCHED', by: 'MANUAL', payments: payments.filter(({ id }) => id === linked.payment) };
  }
  const mayMatch = (payment: TestPayment) => !own.some((each) => each.payment === payment.id);
  return match(record, payments, { ...rules, mayMatch });
}

function match(
  record: TestRecord,
  payments: readonly TestPayment[],
  {
    mayMatch,
    brandAliases,
    maxPaymentsPerKey,
  }: Rules & { readonly mayMatch: (payment: TestPayment) => boolean },
): Match {
  const references = [record.uniqueId, record.shortId, ...record.connectorTxIds];
  if (
    record.reconciliationType === 'FEE' &&
    !(/^(AUTH|CAPTURE|CANCEL|REFUND)_FEE$/.test(record.paymentType) && references.some((id) => id !== null))
  ) {
    return { status: 'NOT_APPLICABLE', by: null, payments: [] };
  }
  // Each key has alternatives; what one alone finds too often identifies nothing.
  const keys: [string, ((p: TestPayment) => boolean)[]][] = [
    ['UNIQUE_ID', [(p) => p.id === record.uniqueId]],
    ['SHORT_ID', [(p) => p.shortId !== null && p.shortId === record.shortId]],
    [
      'CONNECTOR_TX_ID',
      [0, 1, 2].map((n) => (p) => {
        const id = p.connectorTxIds[n] ?? null;
        return id !== null && id === record.connectorTxIds[n];
      }),
    ],
    ['ATTRIBUTES', [(p) => attributesAgree(record, p, brandAliases)]],
  ];
  const candidates = payments.filter((p) => p.type !== 'CB' && p.type !== 'CR');
  for (const [by, tests] of keys) {
    const found = tests
      .map((test) => candidates.filter(test))
      .filter((some) => some.length <= maxPaymentsPerKey);
    const hits = candidates.filter((p) => mayMatch(p) && found.some((some) => some.includes(p)));
    if (hits.length === 0) continue;
    const family = hits.some((hit) => fits(record, hit))
      ? []
      : leftOf(record, familyThatFits(record, hits, payments).filter(mayMatch));
    // A family of which too many are left identifies none of them.
    const throughFamily = family.length > 0 && family.length <= maxPaymentsPerKey;
    // A chargeback would be booked on the payment that it names, which does not fit.
    if (family.length > maxPaymentsPerKey && record.reconciliationType.startsWith('CHARGEBACK')) break;
    const left = throughFamily ? family : leftOf(record, hits);
    return {
      status: left.length === 1 ? 'MATCHED' : 'MULTIPLE_MATCHES',
      by,
      payments: left,
      ...(throughFamily ? { through: 'REFERENCE' as const } : {}),
    };
  }
  return { status: 'NOT_MATCHED', by: null, payments: [] };
}

/** What steps (a) to (c) of narrowing leave. */
function leftOf(record: TestRecord, found: readonly TestPayment[]): readonly TestPayment[] {
  const { left } = narrow(
    found.map((hit) => ({
      payment: hit,
      fitsType: fits(record, hit),
      succeeded: isSuccess(hit),
      sameAmount: hit.amount === record.amount && hit.currency === record.currency,
      hasRoom: null,
    })),
  );
  return left.map(({ payment }) => payment);
}

/** Ancestors and descendants of the hits whose type fits; a payment may be both where references form a circle. */
function familyThatFits(
  record: TestRecord,
  hits: readonly TestPayment[],
  payments: readonly TestPayment[],
): readonly TestPayment[] {
  const reach = (next: (from: TestPayment) => readonly TestPayment[]) => {
    const reached = new Set(hits);
    for (const each of reached) for (const other of next(each)) reached.add(other);
    return reached;
  };
  const ancestors = reach((from) => payments.filter((p) => p.id === from.references));
  const descendants = reach((from) => payments.filter((p) => p.references === from.id));
  return payments.filter((p) => (ancestors.has(p) || descendants.has(p)) && fits(record, p));
}

/** Step (d): first everything without it, then of several payments those that the others have not settled in full. */
function decideByRoom(first: World): Map<TestRecord, Match> {
  const full = new Set(
    first.payments.filter((payment) => {
      const takers = first.records.filter(
        (each) =>
          takesPartIn(each, payment, first) &&
          each.settlementStatus === 'SUCCESS' &&
          each.currency === payment.currency,
      );
      return takers.length > 0 && takers.reduce((sum, each) => sum + each.amount, 0n) >= payment.amount;
    }),
  );
  const decide = (record: TestRecord, found: Match): Match => {
    const withRoom = found.payments.filter((payment) => !full.has(payment));
    if (record.reconciliationType !== 'SETTLED' || found.payments.length < 2 || withRoom.length === 0)
      return found;
    return { ...found, status: withRoom.length === 1 ? 'MATCHED' : 'MULTIPLE_MATCHES', payments: withRoom };
  };
  return new Map([...first.matches].map(([record, found]) => [record, decide(record, found)]));
}

/** Whether a record takes part in the sums of a payment: it settles it, and does not wait for a decision. */
function takesPartIn(record: TestRecord, payment: TestPayment, world: World): boolean {
  return settledPayment(record, world.matches) === payment && !world.deliveries.has(record);
}

function fits(record: TestRecord, payment: TestPayment): boolean {
  const types: readonly string[] = fittingTypes(record.reconciliationType, record.paymentType);
  return types.includes(payment.type);
}

function attributesAgree(record: TestRecord, p: TestPayment, aliases: Rules['brandAliases']): boolean {
  if (record.last4 === null || record.txRequestTime === null) return false;
  const apart = Math.abs(Date.parse(p.requestedAt) - Date.parse(record.txRequestTime));
  return (
    p.entityId === record.merchantAccountId &&
    p.amount === record.amount &&
    p.currency === record.currency &&
    p.last4 === record.last4 &&
    !brandsDiffer(record, p, aliases) &&
    apart <= 24 * 3600 * 1000
  );
}

function brandsDiffer(record: TestRecord, p: TestPayment, aliases: Rules['brandAliases']): boolean {
  return (
    p.brand !== null &&
    record.brand !== null &&
    p.brand !== record.brand &&
    p.brand !== aliases.get(record.brand)
  );
}

function finding(
  code: string,
  subject: string,
  expected: string,
  actual: string,
  difference?: bigint,
): Finding {
  return {
    code,
    subject,
    expected,
    actual,
    difference: difference === undefined ? null : formatAmount(difference),
  };
}

function findingsOfRecord(record: TestRecord, world: World): Finding[] {
  const { matches, payments } = world;
  const found: Finding[] = [];
  const add = (code: string, expected: string, actual: string, difference?: bigint) =>
    found.push(finding(code, keyOf(record), expected, actual, difference));
  const outcome = matches.get(record);
  const delivery = world.deliveries.get(record);
  if (outcome === undefined || isOut(delivery)) return found;
  if (delivery?.state === 'waits') redelivered(record, delivery.former, add);
  if (outcome.status === 'NOT_MATCHED') add('NOT_MATCHED', 'one payment', 'none');
  if (outcome.status === 'MULTIPLE_MATCHES') {
    add('MULTIPLE_MATCHES', 'one payment', `${outcome.payments.length} payments`);
  }
  const direction = directionOf(record);
  if (direction !== null && direction !== record.cashflow)
    add('CASHFLOW_MISMATCH', direction, record.cashflow);
  if (record.settlementStatus === 'FAILED' && !isRepeated(record, world)) {
    add('SETTLEMENT_FAILED', 'SUCCESS', 'FAILED');
  }
  if (record.reconciliationType === 'CHARGEBACK' && record.reasonCode === null) {
    add('CHARGEBACK_WITHOUT_REASON', 'a reason code', 'none');
  }
  fxFinding(record, add);
  claimFinding(record, outcome, add);
  const payment = outcome.status === 'MATCHED' ? outcome.payments[0] : undefined;
  if (payment === undefined) return found;
  if (
    record.reconciliationType === 'CHARGEBACK REVERSAL' &&
    record.settlementStatus === 'SUCCESS' &&
    delivery === undefined &&
    world.chargebacks.reversedBy(record) === undefined
  ) {
    add('REVERSAL_WITHOUT_CHARGEBACK', 'an open chargeback', 'none');
  }
  if (!fits(record, payment)) {
    add(
      'TYPE_MISMATCH',
      fittingTypes(record.reconciliationType, record.paymentType).join(' or '),
      payment.type,
    );
  }
  if (record.reconciliationType === 'SETTLED') {
    if (payment.currency !== record.currency) add('CURRENCY_MISMATCH', payment.currency, record.currency);
    if (!isSuccess(payment)) {
      const pending = payment.resultCode.startsWith('000.200.');
      add('PAYMENT_NOT_SUCCESSFUL', 'SUCCESS', pending ? 'PENDING' : 'FAILED');
    }
    if (isReversed(payment, payments)) add('PAYMENT_REVERSED', 'not reversed', 'reversed in full');
  }
  compare('MERCHANT_ACCOUNT_MISMATCH', payment.entityId, record.merchantAccountId);
  compare('ACCOUNT_MISMATCH', payment.last4, record.last4);
  if (brandsDiffer(record, payment, world.rules.brandAliases))
    compare('BRAND_MISMATCH', payment.brand, record.brand);
  return found;

  function compare(code: string, ours: string | null, theirs: string | null): void {
    if (ours !== null && theirs !== null && ours !== theirs) add(code, ours, theirs);
  }
}

function redelivered(record: TestRecord, former: TestRecord, add: Add): void {
  const more = record.amount - former.amount;
  const isAmount = record.currency === former.currency && more !== 0n;
  add('RECORD_REDELIVERED', ...differingCells(former, record), isAmount ? more : undefined);
}

/** Whether later records settled the payment of a failed one in full. */
function isRepeated(failed: TestRecord, world: World): boolean {
  const payment = settledPayment(failed, world.matches);
  if (payment === undefined || !takesPartIn(failed, payment, world)) return false;
  const repeats = world.records
    .slice(world.records.indexOf(failed) + 1)
    .filter(
      (each) =>
        each.settlementStatus === 'SUCCESS' &&
        each.currency === payment.currency &&
        takesPartIn(each, payment, world),
    );
  return repeats.length > 0 && repeats.reduce((sum, each) => sum + each.amount, 0n) >= payment.amount;
}

/** The payment that a record settles, or would have settled: not one whose type does not fit. */
function settledPayment(
  record: TestRecord,
  matches: ReadonlyMap<TestRecord, Match>,
): TestPayment | undefined {
  const outcome = matches.get(record);
  const [payment] = outcome?.payments ?? [];
  return record.reconciliationType === 'SETTLED' &&
    outcome?.status === 'MATCHED' &&
    payment !== undefined &&
    fits(record, payment)
    ? payment
    : undefined;
}

function directionOf(record: TestRecord): string | null {
  if (record.reconciliationType === 'CHARGEBACK') return 'NEG';
  if (record.reconciliationType === 'CHARGEBACK REVERSAL') return 'POS';
  if (record.reconciliationType !== 'SETTLED') return null;
  if (record.paymentType === 'DEBIT') return 'POS';
  return record.paymentType === 'CREDIT' || record.paymentType === 'REFUND' ? 'NEG' : null;
}

type Add = (code: string, expected: string, actual: string, difference?: bigint) => void;

function fxFinding(record: TestRecord, add: Add): void {
  if (record.reconciliationType === 'FEE') return;
  // In ten-thousandths, doubled.
  const exact = 2n * record.amount * record.fxRate;
  const fee = record.fee ?? 0n;
  const settled = [record.settlementAmount, record.settlementAmount + fee, record.settlementAmount - fee];
  const tolerance = 200n + (record.currency === record.settlementCurrency ? 0n : record.amount);
  const apart = (amount: bigint) => (exact > 200n * amount ? exact - 200n * amount : 200n * amount - exact);
  if (settled.some((amount) => apart(amount) <= tolerance)) return;
  const expected = (record.amount * record.fxRate + 50n) / 100n;
  add(
    'FX_MISMATCH',
    formatAmount(expected),
    formatAmount(record.settlementAmount),
    record.settlementAmount - expected,
  );
}

function claimFinding(record: TestRecord, outcome: Match, add: Add): void {
  const status = outcome.status === 'NOT_APPLICABLE' ? '' : outcome.status;
  const ids = outcome.payments
    .map((payment) => payment.id)
    .sort()
    .join(',');
  const claimed = [...new Set((record.claimedTransactions ?? '').split(',').filter((id) => id !== ''))]
    .sort()
    .join(',');
  const differs =
    (record.claimedStatus !== null && record.claimedStatus !== status) || (claimed !== '' && claimed !== ids);
  if (!differs) return;
  const ours = [status, ids].filter((part) => part !== '').join(' ');
  add(
    'CLAIM_DIFFERS',
    ours === '' ? 'nothing' : ours,
    [record.claimedStatus ?? '', claimed].filter((part) => part !== '').join(' '),
  );
}

function findingsOfPayment(payment: TestPayment, world: World): Finding[] {
  const { duplicates, sum, last } = settlementOf(payment, world);
  const found = duplicates.map((record) =>
    finding('DUPLICATE_SETTLEMENT', keyOf(record), '0.00', formatAmount(record.amount), record.amount),
  );
  if (last !== undefined && sum !== payment.amount) {
    found.push(amountFinding('AMOUNT_MISMATCH', last, payment.amount, sum));
  }
  const isCounted = (record: TestRecord) => record.currency === payment.currency;
  const chargebacks = world.chargebacks
    .of(payment)
    .filter((record) => isCounted(record) && fits(record, payment))
    .sort(inOrder);
  const total = (records: readonly TestRecord[]) => records.reduce((all, { amount }) => all + amount, 0n);
  const hasMoved = ({ settlementStatus }: TestRecord) => settlementStatus === 'SUCCESS';
  // How much a reversal in another currency returned is unknown, so it returned all.
  const leftOf = (chargeback: TestRecord) => {
    const taken = hasMoved(chargeback) ? chargeback.amount : 0n;
    const back = world.records.filter(
      (record) =>
        record.reconciliationType !== 'CHARGEBACK' &&
        hasMoved(record) &&
        world.chargebacks.reversedBy(record) === chargeback,
    );
    return back.every(isCounted) ? taken - total(back) : 0n;
  };
  const net = chargebacks.reduce((sum, chargeback) => sum + leftOf(chargeback), 0n);
  const newest = chargebacks.findLast(hasMoved);
  if (newest !== undefined && net > payment.amount) {
    found.push(amountFinding('CHARGEBACK_EXCEEDS_PAYMENT', newest, payment.amount, net));
  }
  return found;
}

/** What was settled of a payment: the sum up to its amount, the last record of it, and those that come after it. */
function settlementOf(payment: TestPayment, world: World) {
  const duplicates: TestRecord[] = [];
  let sum = 0n;
  let last: TestRecord | undefined;
  const own = world.records.filter(
    (record) =>
      record.settlementStatus === 'SUCCESS' &&
      record.currency === payment.currency &&
      takesPartIn(record, payment, world),
  );
  for (const record of own) {
    if (last !== undefined && sum >= payment.amount) duplicates.push(record);
    else {
      sum += record.amount;
      last = record;
    }
  }
  return { duplicates, sum, last };
}

/** The record that shows an AMOUNT_MISMATCH within the tolerance, if the payment has one. */
function tolerated(payment: TestPayment, world: World): string[] {
  const { sum, last } = settlementOf(payment, world);
  const allowed = world.rules.tolerance.get(payment.currency);
  if (last === undefined || allowed === undefined || sum === payment.amount) return [];
  const apart = sum > payment.amount ? sum - payment.amount : payment.amount - sum;
  return apart <= allowed ? [keyOf(last)] : [];
}

function amountFinding(code: string, record: TestRecord, expected: bigint, actual: bigint): Finding {
  return finding(code, keyOf(record), formatAmount(expected), formatAmount(actual), actual - expected);
}

function isReversed(payment: TestPayment, payments: readonly TestPayment[]): boolean {
  const reversals = payments.filter(
    (p) => p.type === 'RV' && isSuccess(p) && p.references === payment.id && p.currency === payment.currency,
  );
  return reversals.length > 0 && reversals.reduce((sum, p) => sum + p.amount, 0n) >= payment.amount;
}

function isMissing(payment: TestPayment, world: World, due: { from: string; to: string }): boolean {
  const { matches, payments } = world;
  const day = payment.requestedAt.slice(0, 10);
  const settled = [...matches].some(
    ([record, outcome]) =>
      record.reconciliationType === 'SETTLED' &&
      record.settlementStatus === 'SUCCESS' &&
      outcome.payments.includes(payment) &&
      (outcome.status === 'MULTIPLE_MATCHES' || fits(record, payment)),
  );
  const failed = [...matches.keys()].some(
    (record) =>
      record.settlementStatus === 'FAILED' &&
      settledPayment(record, matches) === payment &&
      !isRepeated(record, world),
  );
  return (
    ['DB', 'CP', 'CD', 'RF'].includes(payment.type) &&
    isSuccess(payment) &&
    day >= due.from &&
    day <= due.to &&
    !settled &&
    !failed &&
    !isReversed(payment, payments)
  );
}

function missing(payment: TestPayment): Finding {
  return finding(
    'MISSING_SETTLEMENT',
    shortened(payment.id),
    formatAmount(payment.amount),
    '0.00',
    -payment.amount,
  );
}
