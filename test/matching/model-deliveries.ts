import { formatAmount } from '../../src/values/money.js';
import type { TestRecord } from './scenario.js';

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
  readonly file: number;
  readonly line: number;
  readonly record: TestRecord;
}

/** What people decided about deliveries, as it is in effect. */
export interface DeliveryDecisions {
  readonly withdrawn: readonly number[];
  readonly supersede: readonly TestRecord[];
  readonly keepBoth: readonly TestRecord[];
}

export const undecided: DeliveryDecisions = { withdrawn: [], supersede: [], keepBoth: [] };

/** Where a file that is not withdrawn has a record. */
interface Place {
  readonly file: number;
  readonly line: number;
}

interface Deliveries {
  readonly corrections: Corrections;
  readonly decisions: DeliveryDecisions;
  readonly placesOf: (record: TestRecord) => readonly Place[];
  readonly judged: Map<TestRecord, Delivery>;
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
    else if (key !== null) groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  for (const group of groups.values()) {
    const files = [...new Set(group.map((each) => placesOf(each)[0]?.file ?? 0))].sort((a, b) => a - b);
    for (const file of files) judgeFile(group, file, { corrections, decisions, placesOf, judged });
  }
  return judged;
}

function judgeFile(
  group: readonly TestRecord[],
  file: number,
  { corrections, decisions, placesOf, judged }: Deliveries,
): void {
  const first = (record: TestRecord): Place => placesOf(record)[0] ?? record;
  const byLine = (a: TestRecord, b: TestRecord) => first(a).line - first(b).line;
  // What this file repeats unchanged, it does not correct.
  const counting = group.filter(
    (each) =>
      first(each).file < file && !judged.has(each) && !placesOf(each).some((place) => place.file === file),
  );
  const newest = Math.max(...counting.map((each) => first(each).file));
  const former = counting.filter((each) => first(each).file === newest).sort(byLine);
  const failedBefore = former.some(isFailed);
  const found: [later: TestRecord, former: TestRecord][] = [];
  for (const failed of [false, true]) {
    const later = group.filter((each) => first(each).file === file && isFailed(each) === failed).sort(byLine);
    // A success corrects a success. A failure corrects a failure where there is one, else a success that came back.
    const partners = former.filter((each) => isFailed(each) === (failed && failedBefore));
    later.forEach((each, index) => {
      const partner = partners[Math.min(index, partners.length - 1)];
      if (partner !== undefined) found.push([each, partner]);
    });
  }
  found.sort(([a], [b]) => byLine(a, b));
  for (const [later, partner] of found) {
    const said = decisions.supersede.includes(later)
      ? 'replace'
      : decisions.keepBoth.includes(later)
        ? 'add'
        : corrections;
    if (said === 'ask') judged.set(later, { state: 'waits', former: partner });
    if (said === 'replace' && !judged.has(partner)) judged.set(partner, { state: 'superseded', by: later });
  }
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
