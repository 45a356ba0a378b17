import { fits } from './fitting-types.js';
import type { Payment } from './payments.js';
import { compareTexts, type SettlementRecord } from './records.js';
import type { Settings } from './world.js';

/** What a record belongs to. */
export interface Match {
  readonly status: 'MATCHED' | 'MULTIPLE_MATCHES' | 'NOT_MATCHED' | '';
  readonly by: string;
  readonly through: '' | 'REFERENCE';
  /** The payment, or all candidates, ascending. */
  readonly payments: readonly Payment[];
}

/** What matching depends on besides the record. */
export interface MatchingWorld {
  readonly payments: ReadonlyMap<string, Payment>;
  readonly settings: Pick<Settings, 'maxPaymentsPerKey' | 'brandAliases'>;
  /** What a person linked, by the place of the record. */
  readonly linked: ReadonlyMap<string, string>;
  /** The payments that a person keeps a record from. */
  readonly unlinked: ReadonlyMap<string, ReadonlySet<string>>;
  /** The payments that records with a chargeback id keep. */
  readonly kept: ReadonlyMap<string, Match>;
}

const feesOfPayments = ['AUTH_FEE', 'CAPTURE_FEE', 'CANCEL_FEE', 'REFUND_FEE'];

/** Design 4.4: not the fees of an account, which carry no reference to a payment. */
export function isMatchable(record: SettlementRecord): boolean {
  if (record.type !== 'FEE') return true;
  const references = ['UniqueID', 'ShortId', 'ConnectorTxId1', 'ConnectorTxId2', 'ConnectorTxId3'];
  return feesOfPayments.includes(record.kind) && references.some((name) => (record.cells[name] ?? '') !== '');
}

const nothing: Match = { status: '', by: '', through: '', payments: [] };

/** Matches the records; those that do not count take no room. */
export function matchRecords(
  records: readonly SettlementRecord[],
  counts: (record: SettlementRecord) => boolean,
  world: MatchingWorld,
): Map<SettlementRecord, Match> {
  const withoutRoom = new Map(
    records.map((record) => [record, matchOne(record, world, () => true)] as const),
  );
  const taken = new Map<Payment, number>();
  for (const [record, { status, payments }] of withoutRoom) {
    const [payment] = payments;
    if (status !== 'MATCHED' || payment === undefined || !fillsRoom(record, payment) || !counts(record))
      continue;
    taken.set(payment, (taken.get(payment) ?? 0) + record.amount);
  }
  const hasRoom = (payment: Payment) => (taken.get(payment) ?? 0) < payment.amount;
  return new Map(records.map((record) => [record, matchOne(record, world, hasRoom)] as const));
}

function fillsRoom(record: SettlementRecord, payment: Payment): boolean {
  return (
    record.type === 'SETTLED' &&
    !record.hasFailed &&
    record.currency === payment.currency &&
    fits(record, payment.type)
  );
}

function matchOne(
  record: SettlementRecord,
  world: MatchingWorld,
  hasRoom: (payment: Payment) => boolean,
): Match {
  const barred = world.unlinked.get(record.place) ?? new Set();
  const isAllowed = (payment: Payment) => !barred.has(payment.id);
  const kept = world.kept.get(record.place);
  const link = world.payments.get(world.linked.get(record.place) ?? '');
  if (link !== undefined) return { status: 'MATCHED', by: 'MANUAL', through: '', payments: [link] };
  if (kept?.payments.every(isAllowed) === true) {
    // The payment as it is now.
    return { ...kept, payments: kept.payments.map((payment) => world.payments.get(payment.id) ?? payment) };
  }
  if (!isMatchable(record)) return nothing;
  for (const [by, found] of keysOf(record, world)) {
    const allowed = found.filter(isAllowed);
    if (allowed.length === 0) continue;
    return { by, ...decide(record, allowed, { world, hasRoom, isAllowed }) };
  }
  return { ...nothing, status: 'NOT_MATCHED' };
}

interface Narrowing {
  readonly world: MatchingWorld;
  readonly hasRoom: (payment: Payment) => boolean;
  readonly isAllowed: (payment: Payment) => boolean;
}

function decide(
  record: SettlementRecord,
  found: readonly Payment[],
  { world, hasRoom, isAllowed }: Narrowing,
): Omit<Match, 'by'> {
  const isFitting = (payment: Payment) => fits(record, payment.type);
  const family = found.some(isFitting)
    ? []
    : familyOf(found, world.payments).filter((payment) => isFitting(payment) && isAllowed(payment));
  const candidates = family.length > 0 ? family : found;
  const left = narrow(candidates, [
    isFitting,
    (payment) => payment.result === 'success',
    (payment) => payment.amount === record.amount && payment.currency === record.currency,
    (payment) => record.type !== 'SETTLED' || hasRoom(payment),
  ]);
  return {
    status: left.length === 1 ? 'MATCHED' : 'MULTIPLE_MATCHES',
    through: family.length > 0 ? 'REFERENCE' : '',
    payments: left.toSorted((one, other) => compareTexts(one.id, other.id)),
  };
}

/** Each step keeps what it asks for, unless nothing would be left; one payment alone is not narrowed. */
function narrow(
  candidates: readonly Payment[],
  steps: readonly ((payment: Payment) => boolean)[],
): readonly Payment[] {
  return steps.reduce((left, step) => {
    const kept = left.filter(step);
    return kept.length === 0 ? left : kept;
  }, candidates);
}

/** The keys of design 4.4, the strongest first, each with the payments that it finds. */
function* keysOf(record: SettlementRecord, world: MatchingWorld): Generator<[string, Payment[]]> {
  const {
    payments,
    settings: { maxPaymentsPerKey, brandAliases },
  } = world;
  const cell = (name: string) => record.cells[name] ?? '';
  const all = [...payments.values()];
  // A value that too many payments have identifies none of them.
  const few = (found: Payment[]) => (found.length > maxPaymentsPerKey ? [] : found);
  const having = (value: string, of: (payment: Payment) => string) =>
    value === '' ? [] : few(all.filter((payment) => of(payment) === value));
  yield ['UNIQUE_ID', having(cell('UniqueID'), ({ id }) => id)];
  yield ['SHORT_ID', having(cell('ShortId'), ({ shortId }) => shortId)];
  const connector = ([0, 1, 2] as const).flatMap((index) =>
    having(cell(`ConnectorTxId${index + 1}`), (payment) => payment.connector[index]),
  );
  yield ['CONNECTOR_TX_ID', [...new Set(connector)]];
  yield ['ATTRIBUTES', few(all.filter((payment) => hasAttributes(payment, record, brandAliases)))];
}

const dayMs = 86_400_000;

function hasAttributes(
  payment: Payment,
  { cells, amount, currency }: SettlementRecord,
  brandAliases: Settings['brandAliases'],
): boolean {
  const { AccountNumberLast4 = '', TxRequestTime = '', Brand = '', MerchantAccountId = '' } = cells;
  if (AccountNumberLast4 === '' || TxRequestTime === '') return false;
  return (
    payment.entity === MerchantAccountId &&
    payment.amount === amount &&
    payment.currency === currency &&
    payment.last4 === AccountNumberLast4 &&
    (['', Brand, brandAliases[Brand]].includes(payment.brand) || Brand === '') &&
    Math.abs(payment.at - Date.parse(`${TxRequestTime.replace(' ', 'T')}Z`)) <= dayMs
  );
}

/** The ancestors and the descendants of payments, at any depth, without themselves. */
function familyOf(found: readonly Payment[], payments: ReadonlyMap<string, Payment>): Payment[] {
  const family = new Set<Payment>();
  const climb = (payment: Payment): void => {
    const parent = payments.get(payment.references);
    if (parent === undefined || family.has(parent)) return;
    family.add(parent);
    climb(parent);
  };
  const descend = (payment: Payment): void => {
    for (const child of payments.values()) {
      if (child.references !== payment.id || family.has(child)) continue;
      family.add(child);
      descend(child);
    }
  };
  for (const payment of found) {
    climb(payment);
    descend(payment);
  }
  return [...family];
}
