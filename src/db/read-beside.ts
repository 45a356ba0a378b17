import type { Sql, Tx } from './client.js';
import { isDivided, noteDivided } from './shards/is-divided.js';
import { inOwnTransaction } from './transaction.js';

/** Reads on another connection, and so on another core, exactly what its transaction sees. */
export type ReadBeside = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Gives another connection the snapshot of a transaction as long as the transaction lasts: both read the same state,
 * whatever is committed meanwhile.
 *
 * @param giveUp closes the other connection, as it closes that of the transaction
 * @returns null if no other connection can have the snapshot
 * @throws from `ReadBeside`: the same as `inOwnTransaction`
 */
export async function shareSnapshot(tx: Tx, sql: Sql, giveUp: AbortSignal): Promise<ReadBeside | null> {
  // The snapshot would not reach the shards, so with shards everything is read on the connection of the transaction.
  if (await isDivided(tx)) return null;
  const [row] = await tx<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`;
  const snapshot = row?.snapshot ?? '';
  // It becomes part of a statement that does not support parameters.
  if (!/^[0-9A-F-]+$/.test(snapshot)) throw new Error('the server uses an unknown format for snapshot names');
  return (work) =>
    inOwnTransaction(
      sql,
      async (other) => {
        noteDivided(other, false);
        await other.unsafe(`set transaction snapshot '${snapshot}'`);
        return work(other);
      },
      'isolation level repeatable read read only',
      giveUp,
    );
}
