import type { Pair } from '../form-pairs.js';

/** Names of older versions of this API, and the names that they have now. */
export const renamed: ReadonlyMap<string, string> = new Map([
  ['authentication.entityId', 'entityId'],
  ['shipping.givenName', 'shipping.customer.givenName'],
  ['shipping.surname', 'shipping.customer.surname'],
]);

/**
 * Names that have no meaning any more but that integrations still send: credentials from before the token, the old form
 * of `standingInstruction.mode`, and the transaction id of 3D Secure 1, which is no longer in use. Version 2 has
 * `threeDSecure.dsTransactionId`.
 */
export const retired: ReadonlySet<string> = new Set([
  'authentication.userId',
  'authentication.password',
  'authentication.memberId',
  'authentication.channelId',
  'recurringType',
  'threeDSecure.xid',
]);

/**
 * What integrations of this API family really send (design 10), in the form that the payment core expects: an empty
 * value is an absent one, old names have their present form, retired names are ignored. Any other unknown name stays,
 * so that the core refuses it.
 */
export function adaptPairs(pairs: readonly Pair[]): {
  readonly pairs: readonly Pair[];
  /** The retired names that were sent with a value. */
  readonly ignored: readonly string[];
} {
  if (!pairs.some(isOld)) return { pairs, ignored: [] };
  const sent = pairs.filter(([, value]) => value !== '');
  const kept = sent.filter(([name]) => !retired.has(name));
  const ignored = sent.filter(([name]) => retired.has(name)).map(([name]) => name);
  return { pairs: withoutRepetition(kept), ignored: [...new Set(ignored)] };
}

/** Whether a pair is not in the form that the payment core expects. */
function isOld([name, value]: Pair): boolean {
  return value === '' || retired.has(name) || renamed.has(name);
}

/** An old name beside the present one is not a repetition if both have the same value. */
function withoutRepetition(pairs: readonly Pair[]): readonly Pair[] {
  const present = new Set(pairs.map(([name, value]) => `${name}=${value}`));
  return pairs.flatMap(([name, value]) => {
    const current = renamed.get(name);
    if (current === undefined) return [[name, value] as const];
    return present.has(`${current}=${value}`) ? [] : [[current, value] as const];
  });
}
