/** The names with an index, by the template of the part before the index, and their highest index. */
export const indexedContainers: ReadonlyMap<string, number> = new Map([
  // Operations 8. This project chose the other bounds: beyond any trip or basket, and small enough for memory.
  ['cart.items', 1000],
  ['cart.payments', 99],
  // No more sellers than items.
  ['marketPlace.sellers', 1000],
  ['airline.passengers', 499],
  ['airline.passengers[n].legs', 99],
  ['registrations', 99],
]);

/** What a key in brackets may be, as in `customParameters[key]`. */
export interface KeyRule {
  readonly pattern: RegExp;
  /** Completes "a key of … must be …". */
  readonly says: string;
}

/** The keys of custom data (catalogue 2.21): AN64. */
const dataKey: KeyRule = {
  pattern: /^[A-Za-z0-9._]{3,64}$/,
  says: '3-64 letters, digits, dots and underscores',
};

const brandKey: KeyRule = {
  pattern: /^\w{1,32}$/,
  says: '1-32 letters, digits and underscores',
};

/** The names with a key that the sender chooses. */
export const keyedContainers: ReadonlyMap<string, KeyRule> = new Map([
  ['customParameters', dataKey],
  ['risk.parameters', dataKey],
  ['merchant.data', dataKey],
  ['overridePaymentType', brandKey],
]);

/** Names with fixed text in brackets, so that the name is also its template. */
export const fixedKeyContainers: ReadonlySet<string> = new Set(['threeDSecure.schemeData']);
