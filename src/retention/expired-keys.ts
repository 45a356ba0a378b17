import type { Tx } from '../db/client.js';

/*
 * Idempotency keys are remembered for a day (`keyLifetimeMs` of the payment core), and then have no effect. Each new
 * key removes a few old ones; a purge removes the rest, whatever the policy, in case no new keys arrive.
 */
const lifetimeMs = 24 * 3_600_000;

const expiredAt = (now: string) => new Date(Date.parse(now) - lifetimeMs).toISOString();

/** @param now the moment of the purge as an ISO text */
export async function countExpiredKeys(tx: Tx, now: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from idempotency_keys where created_at <= ${expiredAt(now)}`;
  return row?.count ?? 0;
}

/** A key that a request uses again at this moment is skipped. */
export async function removeExpiredKeys(tx: Tx, now: string): Promise<void> {
  await tx`
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where created_at <= ${expiredAt(now)} for update skip locked))`;
}
