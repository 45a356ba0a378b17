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
