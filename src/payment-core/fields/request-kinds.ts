/** The kinds of request to the core. Every field lists the kinds that accept it. */
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

/** Each has its own tokens, payments and events. */
export const environments = ['test', 'live'] as const;

/** The environment of the core. Test modes exist only in `test`. */
export type Environment = (typeof environments)[number];

/** Any other word would be a separate environment, with its own payments. */
export function isEnvironment(given: unknown): given is Environment {
  return environments.some((environment) => environment === given);
}

/** Requests that store or use an instrument. */
export const instrumentKinds: readonly RequestKind[] = ['payment', 'checkout', 'registration', 'migration'];

/** Requests that contain the shopper and their address. */
export const shopperKinds: readonly RequestKind[] = [
  'payment',
  'reference',
  'checkout',
  'registration',
  'migration',
  'job',
];

/** Requests that contain what is bought: cart, shipping, amounts. A registration stores an instrument only. */
export const purchaseKinds: readonly RequestKind[] = ['payment', 'reference', 'checkout', 'job'];

/** Requests that contain the accounts of a purchase besides its instrument. A job stores no account numbers. */
export const accountKinds: readonly RequestKind[] = ['payment', 'reference', 'checkout'];

/**
 * Requests that contain what proves an authentication. It is never stored, so a checkout could only leave it out: it
 * comes with the payment of the checkout.
 */
export const proofKinds: readonly RequestKind[] = ['payment', 'registration', 'migration'];

/** Requests that change data and may contain a test mode. */
export const changingKinds: readonly RequestKind[] = [
  'payment',
  'reference',
  'checkout',
  'registration',
  'migration',
  'chargeback',
  'job',
];
