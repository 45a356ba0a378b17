import { randomBytes } from 'node:crypto';
import type { Sql } from '../db/client.js';
import { ReconError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';
import { openSecret, sealSecret } from './secrets.js';

/**
 * Seals the key of every webhook again that is sealed with an older encryption key, so that the older one can be
 * removed some time after a rotation. Several processes may do this at once. A webhook whose key cannot be opened is
 * logged and left as it is; it does not keep the others from getting the current key.
 *
 * @returns how many were sealed again
 */
export async function resealSecrets(
  sql: Sql,
  environment: Environment,
  { keys, logger }: { readonly keys: EncryptionKeys; readonly logger: Logger },
): Promise<number> {
  const rows = await sql<{ id: string; keyId: string; sealed: string }[]>`
    select id, secret_key_id as "keyId", secret_sealed as sealed from webhooks
    where environment = ${environment} and secret_key_id <> ${keys.current} order by id`;
  let resealed = 0;
  for (const { id, ...stored } of rows) {
    let secret: string;
    try {
      secret = openSecret(keys, id, stored);
    } catch (thrown) {
      if (!(thrown instanceof ReconError)) throw thrown;
      logger.error(
        { err: thrown, webhook: id },
        'The key of a webhook could not be sealed with the current one.',
      );
      continue;
    }
    const { keyId, sealed } = sealSecret(keys, id, secret, randomBytes);
    await sql`
      update webhooks set secret_key_id = ${keyId}, secret_sealed = ${sealed}
      where id = ${id} and secret_sealed = ${stored.sealed}`;
    resealed += 1;
  }
  return resealed;
}
