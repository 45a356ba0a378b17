import type { Match } from './match-records.js';
import { compareRecords, type SettlementRecord } from './records.js';

/** What history has decided about chargebacks: it outlives the runs (design 4.5). */
export interface ChargebackHistory {
  /** The records that have an id, with the match that they keep. */
  readonly assigned: Map<SettlementRecord, Match>;
  /** The chargeback whose id a reversal has, or had last. */
  readonly reversalOf: Map<SettlementRecord, SettlementRecord>;
}

/** Who has an id after a run. */
export interface ChargebackOutcome {
  /** How many chargebacks have one. */
  readonly assigned: number;
  /** How many reversals have one, even if its chargeback is withdrawn. */
  readonly reversed: number;
  /** The chargeback of each reversal that has one. */
  readonly linked: ReadonlyMap<SettlementRecord, SettlementRecord>;
}

/** Gives ids to the chargebacks that are matched, and to each reversal the chargeback that it reverses. */
export function linkChargebacks(
  matches: ReadonlyMap<SettlementRecord, Match>,
  counts: (record: SettlementRecord) => boolean,
  history: ChargebackHistory,
): ChargebackOutcome {
  const matched = [...matches.keys()]
    .filter((record) => counts(record) && matches.get(record)?.status === 'MATCHED')
    .sort(compareRecords);
  const chargebacks = matched.filter(({ type }) => type === 'CHARGEBACK');
  const reversals = matched.filter(({ type, hasFailed }) => type === 'CHARGEBACK REVERSAL' && !hasFailed);
  forgetMoved(matches, history);
  for (const record of chargebacks) history.assigned.set(record, matchOf(matches, record));
  const linked = keepLinks(reversals, chargebacks, { matches, history });
  for (const reversal of reversals) {
    if (linked.has(reversal)) continue;
    const former = history.reversalOf.get(reversal);
    // Its chargeback may come back, unless another reversal has it.
    if (former !== undefined && ![...linked.values()].includes(former)) continue;
    const chargeback = chooseChargeback(reversal, chargebacks, { matches, linked });
    if (chargeback === undefined) continue;
    linked.set(reversal, chargeback);
    history.reversalOf.set(reversal, chargeback);
    history.assigned.set(reversal, matchOf(matches, reversal));
  }
  const holders = reversals.filter((record) => linked.has(record) || history.reversalOf.has(record));
  return { assigned: chargebacks.length, reversed: holders.length, linked };
}

/** A person took a chargeback from its payment: its reversal has no id any more (design 4.9). */
function forgetMoved(
  matches: ReadonlyMap<SettlementRecord, Match>,
  { assigned, reversalOf }: ChargebackHistory,
): void {
  for (const [reversal, chargeback] of [...reversalOf]) {
    const [former] = assigned.get(chargeback)?.payments ?? [];
    // One that does not count may come back.
    if (!matches.has(chargeback) || paymentOf(matches, chargeback) === former?.id) continue;
    reversalOf.delete(reversal);
    assigned.delete(reversal);
  }
}

interface Surroundings {
  readonly matches: ReadonlyMap<SettlementRecord, Match>;
  readonly history: ChargebackHistory;
}

function keepLinks(
  reversals: readonly SettlementRecord[],
  chargebacks: readonly SettlementRecord[],
  { matches, history }: Surroundings,
): Map<SettlementRecord, SettlementRecord> {
  const linked = new Map<SettlementRecord, SettlementRecord>();
  // Who got the id last has it.
  const holders = [...history.reversalOf].filter(([reversal]) => reversals.includes(reversal)).reverse();
  for (const [reversal, chargeback] of holders) {
    const isOpen = !isTaken(chargeback, linked) || leftFor(reversal, chargeback, linked) >= 0;
    if (!isOpen || !chargebacks.includes(chargeback)) continue;
    if (paymentOf(matches, reversal) === paymentOf(matches, chargeback)) linked.set(reversal, chargeback);
  }
  return linked;
}

function chooseChargeback(
  reversal: SettlementRecord,
  chargebacks: readonly SettlementRecord[],
  { matches, linked }: Pick<Surroundings, 'matches'> & { readonly linked: Linked },
): SettlementRecord | undefined {
  const open = chargebacks.filter(
    (record) =>
      paymentOf(matches, record) === paymentOf(matches, reversal) &&
      (!isTaken(record, linked) || leftFor(reversal, record, linked) >= 0),
  );
  const rank = (record: SettlementRecord) =>
    (leftFor(reversal, record, linked) === 0 ? 0 : 4) +
    (record.hasFailed ? 2 : 0) +
    (isTaken(record, linked) ? 1 : 0);
  return open.sort((one, other) => rank(one) - rank(other) || compareRecords(one, other))[0];
}

type Linked = ReadonlyMap<SettlementRecord, SettlementRecord>;

const isTaken = (chargeback: SettlementRecord, linked: Linked): boolean =>
  [...linked.values()].includes(chargeback);

/**
 * What a reversal would leave of a chargeback; less than nothing if its currency is another one, or nothing is left of
 * the chargeback before.
 */
function leftFor(reversal: SettlementRecord, chargeback: SettlementRecord, linked: Linked): number {
  const returned = [...linked].filter(([, of]) => of === chargeback).map(([record]) => record);
  if ([...returned, reversal].some(({ currency }) => currency !== chargeback.currency)) return -1;
  const left = returned.reduce((rest, { amount }) => rest - amount, chargeback.amount);
  return returned.length > 0 && left <= 0 ? -1 : left - reversal.amount;
}

function matchOf(matches: ReadonlyMap<SettlementRecord, Match>, record: SettlementRecord): Match {
  const match = matches.get(record);
  if (match === undefined) throw new Error(`${record.place} was not matched`);
  return match;
}

function paymentOf(
  matches: ReadonlyMap<SettlementRecord, Match>,
  record: SettlementRecord,
): string | undefined {
  return matches.get(record)?.payments[0]?.id;
}
