import { formatAmount } from '../../src/values/money.js';
import { fingerprintOf, type TestRecord } from './scenario.js';

/**
 * The part of the plain model about records that several files deliver (design 4.6, 4.8), written from the design:
 * simple, slow and over arrays.
 */
export type Corrections = 'ask' | 'replace' | 'add';

/** What is said about a record that does not simply count. */
export type Delivery =
  | { readonly state: 'waits'; readonly former: TestRecord }
  | { readonly state: 'superseded'; readonly by: TestRecord }
  | { readonly state: 'withdrawn' };

/** A row of a later file with the cells of a stored record: it is not stored again. */
export interface TestRepeat {
  readonly source: string;
  readonly file: number;
  readonly line: number;
  readonly record: TestRecord;
}

/** What people decided about deliveries, as it is in effect. */
export interface DeliveryDecisions {
  readonly withdrawn: readonly number[];
  /** All decisions about records in the order in which they were made; the moments are their numbers. */
  readonly made: readonly DeliveryDecision[];
}

export interface DeliveryDecision {
  readonly record: TestRecord;
  readonly kind: 'supersede' | 'keep-both';
  readonly at: number;
  /** Null while it is in effect. */
  readonly undoneAt: number | null;
}

export const undecided: DeliveryDecisions = { withdrawn: [], made: [] };

/** Where a file that is not withdrawn has a record. */
interface Place {
  readonly source: string;
  readonly file: number;
  readonly line: number;
}

interface Deliveries {
  readonly corrections: Corrections;
  readonly decisions: DeliveryDecisions;
  readonly placesOf: (record: TestRecord) => readonly Place[];
  readonly judged: Map<TestRecord, Delivery>;
  /** What replaced a record, until it counts again, and the moment of the decision that did it, else 0. */
  readonly replacedBy: Map<TestRecord, { readonly record: TestRecord; readonly at: number }>;
  /** The file that brought a record again after it was replaced, so that it counts. */
  readonly returnedWith: Map<TestRecord, number>;
  /** Those that count again without a decision about that; what was decided before they were replaced is not. */
  readonly returnedUndecided: Set<TestRecord>;
}

/**
 * The records that wait, are superseded or withdrawn; all others count. The order of receipt is that of the file
 * numbers.
 */
export function judgeDeliveries(
  records: readonly TestRecord[],
  corrections: Corrections,
  repeats: readonly TestRepeat[] = [],
  decisions: DeliveryDecisions = undecided,
): ReadonlyMap<TestRecord, Delivery> {
  const judged = new Map<TestRecord, Delivery>();
  const places = new Map(
    records.map((record) => [
      record,
      [record, ...repeats.filter((each) => each.record === record)]
        .filter(({ file }) => !decisions.withdrawn.includes(file))
        .sort((a, b) => a.file - b.file || a.line - b.line),
    ]),
  );
  const placesOf = (record: TestRecord) => places.get(record) ?? [];
  const groups = new Map<string, TestRecord[]>();
  for (const record of records) {
    const key = deliveryKey(record);
    if (placesOf(record).length === 0) judged.set(record, { state: 'withdrawn' });
    else if (key !== null) {
      // A record is a delivery of the source of the first file that has it and is not withdrawn.
      const ofSource = `${placesOf(record)[0]?.source ?? ''} ${key}`;
      groups.set(ofSource, [...(groups.get(ofSource) ?? []), record]);
    }
  }
  for (const group of groups.values()) {
    const source = group[0] === undefined ? undefined : placesOf(group[0])[0]?.source;
    const ofSource = group.flatMap(placesOf).filter((place) => place.source === source);
    const files = [...new Set(ofSource.map(({ file }) => file))].sort((a, b) => a - b);
    const state = {
      replacedBy: new Map(),
      returnedWith: new Map(),
      returnedUndecided: new Set<TestRecord>(),
    };
    for (const file of files) judgeFile(group, file, { corrections, decisions, placesOf, judged, ...state });
  }
  return judged;
}

function judgeFile(group: readonly TestRecord[], file: number, deliveries: Deliveries): void {
  const { corrections, decisions, placesOf, judged, replacedBy, returnedWith, returnedUndecided } =
    deliveries;
  const isIn = (record: TestRecord) => placesOf(record).some((place) => place.file === file);
  const firstFile = (record: TestRecord) => placesOf(record)[0]?.file ?? record.file;
  const broughtBy = (record: TestRecord) => returnedWith.get(record) ?? firstFile(record);
  // What this file repeats unchanged, it does not correct.
  const counting = group.filter((each) => firstFile(each) < file && !judged.has(each) && !isIn(each));
  const lastDecision = (record: TestRecord) =>
    decisions.made.findLast((each) => each.record === record && each.undoneAt === null);
  // Of a record that was replaced, only what was decided after that is about its return.
  const decisionOf = (record: TestRecord) => {
    const made = lastDecision(record);
    const replaced = replacedBy.get(record);
    const stands = replaced === undefined ? !returnedUndecided.has(record) : (made?.at ?? 0) > replaced.at;
    return stands ? made : undefined;
  };
  const wasDecided = (record: TestRecord, at: number) =>
    decisions.made.some(
      (each) => each.record === record && each.at < at && (each.undoneAt === null || each.undoneAt > at),
    );
  const saidOf = (record: TestRecord) => {
    const made = decisionOf(record);
    return made === undefined
      ? corrections
      : ({ supersede: 'replace', 'keep-both': 'add' } as const)[made.kind];
  };
  /** A replaced record comes again without what replaced it: the correction is taken back. */
  const returns = (record: TestRecord) => {
    const replaced = replacedBy.get(record);
    if (replaced === undefined || !isIn(record) || isIn(replaced.record)) return false;
    return decisionOf(record) !== undefined || corrections !== 'add';
  };
  const returned = group.filter(returns);
  const found: [later: TestRecord, former: TestRecord][] = [];
  const kinds = new Map<string, { later: TestRecord[]; candidates: TestRecord[] }>();
  for (const each of [...group.filter((one) => firstFile(one) === file), ...returned]) {
    // A supersede does not replace what only a later keep-both made count: it was made about another record.
    const made = decisionOf(each);
    const candidates = counting.filter(
      (one) =>
        made?.kind !== 'supersede' || decisionOf(one)?.kind !== 'keep-both' || wasDecided(one, made.at),
    );
    const kind = `${isFailed(each)} ${candidates.map((one) => `${one.name}/${one.occurrence}`).join()}`;
    kinds.set(kind, { candidates, later: [...(kinds.get(kind)?.later ?? []), each] });
  }
  for (const { later, candidates } of kinds.values()) {
    found.push(...pairs(later.sort(inOrder), alike(later, candidates, broughtBy)));
  }
  found.sort(([a], [b]) => inOrder(a, b));
  for (const each of returned) judged.delete(each);
  const said = new Map(found.map(([later]) => [later, saidOf(later)]));
  const decided = new Map(found.map(([later]) => [later, decisionOf(later)?.at ?? 0]));
  for (const each of returned) {
    if (said.get(each) === 'ask') continue;
    if (decisionOf(each) === undefined) returnedUndecided.add(each);
    else returnedUndecided.delete(each);
    replacedBy.delete(each);
    returnedWith.set(each, file);
  }
  for (const [later, partner] of found) {
    if (said.get(later) === 'ask') judged.set(later, { state: 'waits', former: partner });
    if (said.get(later) === 'replace' && !judged.has(partner)) {
      judged.set(partner, { state: 'superseded', by: later });
      replacedBy.set(partner, { record: later, at: decided.get(later) ?? 0 });
    }
  }
}

/** The records that deliveries of one kind are compared with, the newest first: at least one for each, if there are. */
function alike(
  later: readonly TestRecord[],
  candidates: readonly TestRecord[],
  broughtBy: (record: TestRecord) => number,
): TestRecord[] {
  const files = [...new Set(candidates.map(broughtBy))].sort((a, b) => b - a);
  const newest = candidates.filter((each) => broughtBy(each) === files[0]);
  // A success corrects a success. A failure corrects a failure where there is one, else a success that came back.
  const wantsFailed = later.some(isFailed) && newest.some(isFailed);
  if (!newest.some((each) => isFailed(each) === wantsFailed)) return [];
  const taken: TestRecord[] = [];
  for (const file of files) {
    if (taken.length >= later.length) break;
    const ofFile = candidates.filter((each) => broughtBy(each) === file && isFailed(each) === wantsFailed);
    taken.push(...ofFile.sort(inOrder));
  }
  return taken;
}

/** Equal amounts first, then in order; what is left over is compared with the last one. */
function pairs(later: readonly TestRecord[], former: readonly TestRecord[]): [TestRecord, TestRecord][] {
  const found = new Map<TestRecord, TestRecord>();
  const isFree = (each: TestRecord) => ![...found.values()].includes(each);
  for (const each of later) {
    const equal = former.find(
      (one) => isFree(one) && one.amount === each.amount && one.currency === each.currency,
    );
    if (equal !== undefined) found.set(each, equal);
  }
  for (const each of later) {
    const partner = found.get(each) ?? former.find(isFree) ?? former.at(-1);
    if (partner !== undefined) found.set(each, partner);
  }
  return [...found];
}

/** The order of design 4.6. */
export function inOrder(a: TestRecord, b: TestRecord): number {
  const key = (r: TestRecord): readonly [string, string, string, number] => [
    r.settlementDate,
    r.settlementTxId ?? '',
    fingerprintOf(r.name),
    r.occurrence,
  ];
  const left = key(a);
  const right = key(b);
  for (let index = 0; index < left.length; index += 1) {
    const [l, r] = [left[index] ?? '', right[index] ?? ''];
    if (l !== r) return l < r ? -1 : 1;
  }
  return 0;
}

const isFailed = (record: TestRecord) => record.settlementStatus === 'FAILED';

function deliveryKey(record: TestRecord): string | null {
  const reference =
    record.uniqueId ?? record.shortId ?? (record.connectorTxIds.some((id) => id !== null) ? '' : null);
  if (record.settlementTxId === null || reference === null) return null;
  return JSON.stringify([
    record.settlementTxId,
    record.reconciliationType,
    record.paymentType,
    record.uniqueId === null ? null : reference,
    record.uniqueId === null ? record.shortId : null,
    record.uniqueId === null && record.shortId === null ? record.connectorTxIds : null,
  ]);
}

/** The cells that differ between two deliveries: as they were, and as they are. */
export function differingCells(former: TestRecord, later: TestRecord): readonly [string, string] {
  const [before, after] = [cellsOf(former), cellsOf(later)];
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  if (names.length === 0) return [sameValues, sameValues];
  const text = (cells: Readonly<Record<string, string | null>>) =>
    names.map((name) => `${name} ${cells[name] ?? '(empty)'}`).join(', ');
  return [text(before), text(after)];
}

const sameValues = 'the same values written differently';

/** The cells that a random record may have, in the order of the file. */
function cellsOf(record: TestRecord): Readonly<Record<string, string | null>> {
  const [ConnectorTxId1, ConnectorTxId2, ConnectorTxId3] = record.connectorTxIds;
  return {
    Cashflow: record.cashflow,
    MerchantAccountId: record.merchantAccountId,
    UniqueID: record.uniqueId,
    ShortId: record.shortId,
    ConnectorTxId1,
    ConnectorTxId2,
    ConnectorTxId3,
    Amount: formatAmount(record.amount),
    Currency: record.currency,
    Brand: record.brand,
    TxRequestTime: record.txRequestTime?.replace('T', ' ').replace('Z', '.000000+0000') ?? null,
    SettlementAmount: formatAmount(record.settlementAmount),
    SettlementCurrency: record.settlementCurrency,
    SettlementFee: record.fee === null ? null : formatAmount(record.fee),
    SettlementFxRate: formatAmount(record.fxRate),
    SettlementDate: record.settlementDate,
    SettlementStatus: record.settlementStatus,
    AccountNumberLast4: record.last4,
    ReasonCode: record.reasonCode,
  };
}
