import { ReconError } from '../../errors.js';
import type { Sql, Tx } from '../../db/client.js';
import { sqlStateOf, toReconError } from '../../db/database-errors.js';

/**
 * A transaction of the core. The driver (3.4.9) goes on with a transaction whose connection died on another
 * connection, outside any transaction. So every statement that writes carries `within`: it finds nothing to
 * write unless it runs in the very transaction that was begun.
 */
export interface CoreTx {
  readonly sql: Tx;
  /** The transaction's own id in the database. */
  readonly id: string;
}

/** Collisions that the same work may well survive when it is done again. */
const retryable = new Set(['40P01', '40001']);
const pausesBeforeRetries = [20, 100, 400];

/**
 * Does the work in one transaction and returns only when the database says that it is committed.
 *
 * @throws ReconError of `toReconError`; DATABASE_FAILED when it is unknown or untrue that it was committed
 */
export async function inTransaction<T>(sql: Sql, work: (tx: CoreTx) => Promise<T>): Promise<T> {
  for (const pauseMs of [...pausesBeforeRetries, undefined]) {
    try {
      return await transactOnce(sql, work);
    } catch (thrown) {
      if (pauseMs === undefined || !retryable.has(sqlStateOf(thrown) ?? '')) throw asReconError(thrown);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  throw new Error('the last attempt neither returned nor threw');
}

async function transactOnce<T>(sql: Sql, work: (tx: CoreTx) => Promise<T>): Promise<T> {
  let id = '';
  // The driver's type unwraps arrays of promises, which a result of ours never is.
  const result = (await sql.begin(async (tx) => {
    const [begun] = await tx<{ id: string }[]>`
      select pg_current_xact_id()::text as id, set_config('lock_timeout', '15s', true)`;
    id = begun?.id ?? '';
    return work({ sql: tx, id });
  })) as T;
  const [ended] = await sql<{ status: string }[]>`select pg_xact_status(${id}::text::xid8) as status`;
  if (ended?.status !== 'committed') throw notStored();
  return result;
}

/** The condition that makes a writing statement part of this transaction or of none. */
export function within(tx: CoreTx) {
  return tx.sql`pg_current_xact_id_if_assigned() = ${tx.id}::text::xid8`;
}

/** @throws ReconError DATABASE_FAILED unless the statement wrote what it should */
export function mustHaveWritten(rows: { readonly count: number }, expected = 1): void {
  if (rows.count !== expected) throw notStored();
}

/** Reads outside a transaction, with the database's errors in words for people. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw asReconError(thrown);
  }
}

/** A driver's error quotes values, and a value can be a card number. */
function asReconError(thrown: unknown): unknown {
  return toReconError(thrown) ?? thrown;
}

function notStored(): ReconError {
  return new ReconError(
    'DATABASE_FAILED',
    'The connection to the database was lost during a transaction; nothing of it was stored.',
  );
}
