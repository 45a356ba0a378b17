import type { Sql, Tx } from '../../db/client.js';
import { toReconError } from '../../db/database-errors.js';
import { inPooledTransaction } from '../../db/transaction.js';
import { ReconError } from '../../errors.js';

/** Somebody waits for the answer of an operation. */
const lockTimeout = '15s';

/**
 * Does the work in one transaction and returns only when it is committed. It is done again when it collides with
 * another transaction.
 *
 * @throws ReconError of `toReconError`; DATABASE_FAILED when it was not committed, or, as the message says, when that
 * is unknown
 */
export function inTransaction<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inPooledTransaction(sql, work, lockTimeout);
}

/**
 * For a row that the transaction read and must now change.
 *
 * @throws ReconError DATABASE_FAILED unless the statement changed as many rows as it should
 */
export function mustHaveWritten(rows: { readonly count: number }, expected = 1): void {
  if (rows.count === expected) return;
  throw new ReconError(
    'DATABASE_FAILED',
    'A row that had to be changed is no longer in the database; nothing of this step was stored.',
  );
}

/** Reads outside a transaction, with the database's errors in words for people. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    // A driver's error quotes values, and a value can be a card number.
    throw toReconError(thrown) ?? thrown;
  }
}

/**
 * Reads records in one transaction, with plans for the values of the request. A plan for any values expects a handful
 * of records in a range of days, however many there are, and looks each of them up in no order: to count those of one
 * entity on a day of 200,000 records took 0.91 s instead of 0.16 s.
 */
export async function readingRecords<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { read } = await reading(() =>
    sql.begin('read only', async (tx) => {
      await tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
      // Not alone, because the driver would await the elements of a result that is a list.
      return { read: await work(tx) };
    }),
  );
  return read;
}
