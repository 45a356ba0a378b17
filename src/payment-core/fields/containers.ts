/** The names that take an index, by the template of what stands before it, and their highest index. */
export const indexedContainers: ReadonlyMap<string, number> = new Map([
  // Operations 8. The other bounds are ours: far beyond any trip or basket, and small enough to hold.
  ['cart.items', 1000],
  ['cart.payments', 99],
  // No more sellers than items.
  ['marketPlace.sellers', 1000],
  ['airline.passengers', 499],
  ['airline.passengers[n].legs', 99],
]);

export interface KeyRule {
  readonly pattern: RegExp;
  /** Completes "a key of … must be …". */
  readonly says: string;
}

/** Keys of custom data (catalogue 2.21): AN64. */
const dataKey: KeyRule = {
  pattern: /^[A-Za-z0-9._]{3,64}$/,
  says: '3-64 letters, digits, dots and underscores',
};

const brandKey: KeyRule = {
  pattern: /^\w{1,32}$/,
  says: '1-32 letters, digits and underscores',
};

/** The names that take a key of the sender's choice. */
export const keyedContainers: ReadonlyMap<string, KeyRule> = new Map([
  ['customParameters', dataKey],
  ['risk.parameters', dataKey],
  ['merchant.data', dataKey],
  ['overridePaymentType', brandKey],
]);

/** Names with brackets whose content is fixed, so that the name is its own template. */
export const fixedKeyContainers: ReadonlySet<string> = new Set(['threeDSecure.schemeData']);
