import { textFinding, type Finding } from './findings.js';
import { moneyOf } from './check-records.js';
import type { Payment } from './payments.js';
import { writeMoney } from './payments.js';
import { deliveryOf, identifying, type SettlementRecord } from './records.js';
import type { Settings } from './world.js';

/** What a person decided about a later delivery; a higher number was decided later. */
export interface DeliveryDecision {
  readonly kind: 'supersede' | 'keep-both';
  readonly number: number;
}

/** Which records do not count because another delivery of them exists (design 4.6, 4.8). */
export interface Deliveries {
  /** A later record that waits for a decision, with the former one that it is compared with. */
  readonly waiting: ReadonlyMap<SettlementRecord, SettlementRecord>;
  /** The former records that later ones replaced. */
  readonly superseded: ReadonlySet<SettlementRecord>;
}

/**
 * Compares the deliveries of each record in the order of receipt. No file of a random world has two records of one key,
 * so each has one that it is compared with.
 */
export function judgeDeliveries(
  records: readonly SettlementRecord[],
  decisions: ReadonlyMap<string, DeliveryDecision>,
  corrections: Settings['corrections'],
): Deliveries {
  const waiting = new Map<SettlementRecord, SettlementRecord>();
  const superseded = new Set<SettlementRecord>();
  const ofKeys = new Map<string, SettlementRecord[]>();
  const receivedAt = (record: SettlementRecord) => deliveryOf(record)?.received ?? 0;
  for (const later of records.toSorted((one, other) => receivedAt(one) - receivedAt(other))) {
    const source = deliveryOf(later)?.delivered.source;
    const key = keyOfDelivery(later);
    if (key === undefined || source === undefined) continue;
    const former = ofKeys.get(`${source} ${key}`) ?? [];
    ofKeys.set(`${source} ${key}`, [...former, later]);
    const decision = decisions.get(later.place);
    const newest = former.findLast(
      (one) => !waiting.has(one) && !superseded.has(one) && couldBeMeant(decision, decisions.get(one.place)),
    );
    // A success after a failure repeats it.
    if (newest === undefined || (newest.hasFailed && !later.hasFailed)) continue;
    const setting = corrections[source];
    if (decision?.kind === 'supersede' || (decision === undefined && setting === 'replace')) {
      superseded.add(newest);
    } else if (decision === undefined && setting === 'ask') waiting.set(later, newest);
  }
  return { waiting, superseded };
}

/** Whoever superseded a record did not mean one that counts only since a later decision. */
function couldBeMeant(
  decision: DeliveryDecision | undefined,
  aboutFormer: DeliveryDecision | undefined,
): boolean {
  if (decision?.kind !== 'supersede' || aboutFormer?.kind !== 'keep-both') return true;
  return aboutFormer.number < decision.number;
}

/** SettlementTxId, ReconciliationType, PaymentType and the payment reference; undefined without the first or last. */
export function keyOfDelivery({
  cells,
  type,
  kind,
}: Pick<SettlementRecord, 'cells' | 'type' | 'kind'>): string | undefined {
  const cell = (name: string) => cells[name] ?? '';
  const connector = ['ConnectorTxId1', 'ConnectorTxId2', 'ConnectorTxId3'].map(cell);
  const reference =
    cell('UniqueID') !== ''
      ? ['UniqueID', cell('UniqueID')]
      : cell('ShortId') !== ''
        ? ['ShortId', cell('ShortId')]
        : connector.some((id) => id !== '')
          ? ['ConnectorTxIds', ...connector]
          : undefined;
  if (cell('SettlementTxId') === '' || reference === undefined) return undefined;
  return JSON.stringify([cell('SettlementTxId'), type, kind, ...reference]);
}

/** RECORD_REDELIVERED names every cell that differs, as it was and as it is. */
export function redelivered(
  later: SettlementRecord,
  former: SettlementRecord,
  payment: Payment | undefined,
): Finding {
  const names = identifying.filter((name) => (former.cells[name] ?? '') !== (later.cells[name] ?? ''));
  const cellsOf = ({ cells }: SettlementRecord) =>
    names.map((name) => `${name} ${cells[name] || '(empty)'}`).join(', ');
  const difference = later.amount - former.amount;
  const isMoney = later.currency === former.currency && difference !== 0;
  return {
    ...textFinding('RECORD_REDELIVERED', later, {
      payment,
      expected: cellsOf(former),
      actual: cellsOf(later),
      atRisk: moneyOf(later),
    }),
    difference: isMoney ? writeMoney(difference) : '',
    differenceCurrency: isMoney ? later.currency : '',
  };
}
