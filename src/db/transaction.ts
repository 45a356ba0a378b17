import postgres from 'postgres';
import { ReconError } from '../errors.js';
import type { Sql, Tx } from './client.js';
import { isConnectionLoss, sqlStateOf, toReconError } from './database-errors.js';
import { watchAlike } from './watch-statements.js';
import { openWatchedSession, type WatchedSession } from './watched-session.js';

/** Deadlock and serialization failure: the same work may well succeed when it is done again. */
const retryable = new Set(['40P01', '40001']);
const pausesBeforeRetries = [50, 200, 800];

/**
 * Does the work in one transaction on a connection of its own, for writes that no run's fence protects. The work
 * is done again after a deadlock.
 *
 * @param options follow BEGIN
 * @throws ReconError of `toReconError` for the database's errors, and whatever the work threw by itself
 */
export async function inOwnTransaction<T>(sql: Sql, work: (tx: Tx) => Promise<T>, options = ''): Promise<T> {
  return withRetries(async () => {
    const session = openWatchedSession((lost) => openAlike(sql, lost));
    try {
      return await transactOnce(session, work, options);
    } finally {
      await session.discard();
    }
  });
}

/** A client like another, with a single connection: as the driver itself does for `listen`. */
function openAlike(sql: Sql, lost: () => void): Sql {
  // Options that were parsed already are taken as they are, types included; the driver's type knows unparsed ones only.
  const client = postgres({ ...sql.options, max: 1, onclose: lost } as never) as unknown as Sql;
  return watchAlike(sql, client);
}

/** What became of a transaction, told by the database. */
export type Outcome = 'committed' | 'undone' | 'unknown';

/**
 * One transaction on a session, which is to be discarded when it is lost meanwhile.
 *
 * @param options follow BEGIN
 * @param outcomeOf asked when the connection is lost after COMMIT was sent
 * @throws what the work or the driver throws; DATABASE_FAILED when the connection is lost, saying so when it is
 *   unknown whether the commit happened
 */
export async function transactOnce<T>(
  session: WatchedSession,
  work: (tx: Tx) => Promise<T>,
  options = '',
  outcomeOf: (transactionId: string) => Promise<Outcome> = () => Promise.resolve('unknown'),
): Promise<T> {
  let finished: { result: T; transactionId: string | null } | undefined;
  try {
    const done = session.sql.begin(
      options,
      (tx) =>
        session.guard(tx, async (guarded) => {
          const result = await work(guarded);
          const [row] = await guarded<
            { id: string | null }[]
          >`select pg_current_xact_id_if_assigned()::text as id`;
          finished = { result, transactionId: row?.id ?? null };
          return result;
        }),
      // The driver's type unwraps arrays of promises, which a result of ours never is.
    ) as Promise<T>;
    return await Promise.race([done, session.lost]);
  } catch (thrown) {
    if (isConnectionLoss(thrown)) session.lose();
    if (finished === undefined || !session.isLost()) throw thrown;
    // One that wrote nothing has no number, and nothing that could be lost.
    const { result, transactionId } = finished;
    const outcome = transactionId === null ? 'committed' : await outcomeOf(transactionId);
    if (outcome === 'committed') return result;
    if (outcome === 'undone') throw thrown;
    throw new ReconError(
      'DATABASE_FAILED',
      'The connection to the database was lost while a transaction was committed, so it is unknown whether it was stored; the next run finds out and goes on from there.',
    );
  }
}

/** Does it again, a few times, when it collided with another transaction. Errors come out in plain words. */
export async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const pauseMs = pausesBeforeRetries[failures];
      if (pauseMs === undefined || !retryable.has(sqlStateOf(thrown) ?? ''))
        throw toReconError(thrown) ?? thrown;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
