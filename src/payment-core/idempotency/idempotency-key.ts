import type { ReceivedParameters } from '../validation/receive-parameters.js';
import { splitSecrets } from '../secrets/split-secrets.js';
import type { Vault } from '../secrets/vault.js';

/** What an idempotency key led to. */
export type KeyedResource = 'payment' | 'registration' | 'checkout' | 'job';

/** How long a key is remembered; after that, the same key makes another request. */
export const keyLifetime = '24 hours';

/** A shorter secret may be a security code, a PIN or another value that somebody can find by trying them all. */
const tooLongToTry = 20;

/**
 * The same request has the same fingerprint, in whichever order its parameters come. Security codes take no part: they
 * are not stored in any form, and a hash of a three-digit number is a form of it. Tokens of wallets and cryptograms do:
 * another token may be another card.
 */
export function fingerprintOf(
  vault: Vault,
  operation: string,
  ids: readonly string[],
  { values }: ReceivedParameters,
): string {
  const texts = Object.entries(values).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const { open, accounts } = splitSecrets(Object.fromEntries(texts));
  const tokens = texts.filter(
    ([name, text]) => !(name in open) && !(name in accounts) && text.length >= tooLongToTry,
  );
  const compared = { ...open, ...accounts, ...Object.fromEntries(tokens) };
  const others = Object.keys(values).filter((name) => !(name in compared));
  const named = Object.entries(compared).sort(([a], [b]) => (a < b ? -1 : 1));
  return vault.fingerprint(JSON.stringify([operation, ids, named, others.sort()]));
}
