import type { Tx } from '../db/client.js';

/** Any number that no other program in the same database uses. */
const shardsLock = '7236501191';

/**
 * Waits for other additions and removals of shards of this home database, and makes later ones wait: each of them reads
 * which shards there are before it changes that.
 */
export async function takeTurns(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${shardsLock}::bigint)`;
}
