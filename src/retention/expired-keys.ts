import type { Tx } from '../db/client.js';

/*
 * Idempotency keys are remembered for a day (`keyLifetime` of the payment core), and then have no effect. Each new
 * key removes a few old ones; a purge removes the rest, whatever the policy, in case no new keys arrive. The clock of
 * the database decides here too: a key that is removed early lets a payment be made twice.
 */

/** How many keys have no effect any more. */
export async function countExpiredKeys(tx: Tx): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from idempotency_keys where created_at <= now() - interval '24 hours'`;
  return row?.count ?? 0;
}

/** A key that a request uses again at this moment is skipped. */
export async function removeExpiredKeys(tx: Tx): Promise<void> {
  await tx`
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where created_at <= now() - interval '24 hours' for update skip locked))`;
}
