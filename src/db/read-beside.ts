import type { Sql, Tx } from './client.js';
import { inOwnTransaction } from './transaction.js';

/** Reads on another connection, and so on another core, exactly what the transaction it belongs to saw. */
export type ReadBeside = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Lets others see what a transaction sees at this moment, for as long as it goes on: two connections that read
 * a state together, whatever is committed meanwhile.
 *
 * @throws of `ReadBeside`: as `inOwnTransaction`
 */
export async function shareSnapshot(tx: Tx, sql: Sql): Promise<ReadBeside> {
  const [row] = await tx<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`;
  const snapshot = row?.snapshot ?? '';
  // It becomes part of a statement, which knows no parameters.
  if (!/^[0-9A-F-]+$/.test(snapshot)) throw new Error('the server names snapshots in another way now');
  return (work) =>
    inOwnTransaction(
      sql,
      async (other) => {
        await other.unsafe(`set transaction snapshot '${snapshot}'`);
        return work(other);
      },
      'isolation level repeatable read read only',
    );
}
