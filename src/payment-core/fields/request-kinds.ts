/** What a request to the core is about; every field says in which of these it is accepted. */
export const requestKinds = [
  'payment',
  'reference',
  'checkout',
  'registration',
  'migration',
  'chargeback',
  'query',
  'reporting',
  'job',
] as const;

/** `reference` is a capture, reversal or refund of the payment whose id is in the path. */
export type RequestKind = (typeof requestKinds)[number];

export const environments = ['test', 'live'] as const;

/** Where the core runs: test modes exist in `test` only. */
export type Environment = (typeof environments)[number];

/** Requests that store or use an instrument. */
export const instrumentKinds: readonly RequestKind[] = ['payment', 'checkout', 'registration', 'migration'];

/** Requests that say who pays and where they live. */
export const shopperKinds: readonly RequestKind[] = [
  'payment',
  'reference',
  'checkout',
  'registration',
  'migration',
  'job',
];

/** Requests that say what is paid for. */
export const purchaseKinds: readonly RequestKind[] = ['payment', 'reference', 'checkout', 'job'];

/** Requests that change something, and may name a test mode. */
export const changingKinds: readonly RequestKind[] = [
  'payment',
  'reference',
  'checkout',
  'registration',
  'migration',
  'chargeback',
  'job',
];
