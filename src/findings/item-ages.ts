/** Ages of items as a morning page groups them (design 11); `from` is the first day of the group. */
export const itemAges = [
  { from: 0, name: '0–1 days' },
  { from: 2, name: '2–3 days' },
  { from: 4, name: '4–7 days' },
  { from: 8, name: '8–30 days' },
  { from: 31, name: 'over 30 days' },
] as const;

/** The place in `itemAges` of the group that an age belongs to. */
export function ageGroup(ageDays: number): number {
  return itemAges.findLastIndex(({ from }) => ageDays >= from);
}

/**
 * How many items of one state, age and currency there are, and their money at risk in hundredths: `missing` is money
 * that we should have and do not have, `surplus` money that we have and should not have.
 */
export interface AgedItems {
  readonly currency: string | null;
  readonly age: number;
  readonly count: number;
  readonly missing: bigint;
  readonly surplus: bigint;
}

/** The items that are in no list of open items: accepted ones, and those that the run resolved. */
export interface ClosedItems {
  readonly accepted: readonly AgedItems[];
  readonly resolved: readonly AgedItems[];
}
