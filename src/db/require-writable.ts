import { ReconError } from '../errors.js';
import type { Sql } from './client.js';

/**
 * Refuses a database in which nothing can be stored, although it can be read: a standby server, also one that was the
 * primary before a fail-over, and one with `default_transaction_read_only`.
 *
 * @throws ReconError DATABASE_FAILED
 */
export async function requireWritable(sql: Sql): Promise<void> {
  const [row] = await sql<{ readOnly: boolean }[]>`
    select current_setting('transaction_read_only') = 'on' as "readOnly"`;
  if (row?.readOnly !== true) return;
  throw new ReconError(
    'DATABASE_FAILED',
    'The database is read-only (a standby server, or default_transaction_read_only): nothing can be stored in it.',
  );
}
