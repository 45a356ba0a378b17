import { randomBytes } from 'node:crypto';
import type { Sql } from '../db/client.js';
import type { EncryptionKeys, Environment } from '../payment-core/index.js';
import { openSecret, sealSecret } from './secrets.js';

/**
 * Seals the key of every webhook again that is sealed with an older encryption key, so that the older one can be
 * removed some time after a rotation. Several processes may do this at once.
 *
 * @returns how many were sealed again
 * @throws ReconError CONFIG_INVALID when an older key is missing already
 */
export async function resealSecrets(
  sql: Sql,
  environment: Environment,
  keys: EncryptionKeys,
): Promise<number> {
  const rows = await sql<{ id: string; keyId: string; sealed: string }[]>`
    select id, secret_key_id as "keyId", secret_sealed as sealed from webhooks
    where environment = ${environment} and secret_key_id <> ${keys.current} order by id`;
  for (const { id, ...stored } of rows) {
    const { keyId, sealed } = sealSecret(keys, id, openSecret(keys, id, stored), randomBytes);
    await sql`
      update webhooks set secret_key_id = ${keyId}, secret_sealed = ${sealed}
      where id = ${id} and secret_sealed = ${stored.sealed}`;
  }
  return rows.length;
}
