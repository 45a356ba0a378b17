import type { Tx } from './client.js';
import type { Database } from './connect.js';
import { toReconError } from './database-errors.js';
import { awaitShards, enterShards } from './shards/enter-shards.js';
import { isDivided, noteDivided } from './shards/is-divided.js';
import { openOutcomeSession } from './sessions/outcome-session.js';
import { transactOnce, withRetries } from './transaction.js';
import { openWatchedSession, type WatchedSession } from './sessions/watched-session.js';
import type { RunId } from '../values/ids.js';

/** The permission to write: a run's number and the token that its transactions carry. */
export interface Fence {
  readonly runId: RunId;
  readonly token: bigint;
}

/**
 * Does its work in one transaction, or in a savepoint of a dry run's transaction, and turns database errors into
 * readable messages. The work may be repeated after a deadlock, so it must not consume input that it cannot read again.
 */
export type Transact = <T>(work: (tx: Tx) => Promise<T>, sees?: Visibility) => Promise<T>;

/** What the statements of a transaction see: one snapshot (the default), or what is committed when each begins. */
export type Visibility = 'one snapshot' | 'what is committed';

/** The transactions of one run, on its own connections. */
export interface FencedTransactions {
  readonly transact: Transact;
  /**
   * Closes the connections, even during a transaction; they cannot be used afterwards. The caller that opened them must
   * call this, because a process may perform hundreds of runs. Never throws.
   */
  end(): Promise<void>;
}

/**
 * The whole transaction sees the database as it was at its beginning, so a payment that is stored meanwhile cannot
 * appear in one part of its work and be missing in another. A take-over meanwhile causes a serialization failure, and
 * RF001 when the transaction is then tried again.
 */
export const oneSnapshot = 'isolation level repeatable read';
const whatIsCommitted = 'isolation level read committed';

/**
 * Transactions that carry the fence (migration 0001): the database refuses a write of a replaced run, or a write
 * outside its transaction.
 *
 * @returns transactions that throw ReconError RUN_REPLACED when the run was replaced, DATABASE_FAILED when the
 *   connection was lost (after COMMIT only if it was not committed, or if the outcome is unknown, which the message
 *   then says), other database codes of `toReconError`, and whatever the work threw
 * @param giveUp closes the connection of a transaction in progress: a statement over millions of rows, or one that
 *   waits for a lock, cannot stop at a safe point
 */
export function fencedTransactions(
  database: Database,
  fence: Fence,
  giveUp?: AbortSignal,
): FencedTransactions {
  const open = () => openWatchedSession((lost) => database.openSession(lost));
  const sessions = new Set<WatchedSession>();
  const idle: WatchedSession[] = [];
  let ended = false;
  const hasEnded = () => ended;
  const takeSession = () => {
    const session = idle.pop() ?? open();
    sessions.add(session);
    return session;
  };
  const discard = (session: WatchedSession) => {
    sessions.delete(session);
    return session.discard();
  };
  const outcomes = openOutcomeSession(open);
  const whetherOnShards = rememberIfDivided(database);
  const transact: Transact = (work, sees = 'one snapshot') =>
    withRetries(async () => {
      if (hasEnded()) throw new Error('a transaction was begun after the end of its run');
      await outcomes.keepOpen();
      const isOnShards = await whetherOnShards();
      const session = takeSession();
      const enterAndWork = async (tx: Tx) => {
        noteDivided(tx, isOnShards);
        if (isOnShards) await awaitShards(tx);
        await enterFence(tx, fence);
        if (isOnShards) await enterShards(tx);
        return work(tx);
      };
      const interrupt = () => {
        // The driver notices only once the server answers, and that is waiting for the lock.
        session.lose();
        void discard(session);
      };
      giveUp?.addEventListener('abort', interrupt, { once: true });
      try {
        return await transactOnce(session, enterAndWork, {
          isolation: sees === 'one snapshot' ? oneSnapshot : whatIsCommitted,
          outcomeOf: (id) => outcomes.outcomeOf(id),
        });
      } finally {
        giveUp?.removeEventListener('abort', interrupt);
        if (hasEnded() || session.isLost()) void discard(session);
        else idle.push(session);
      }
    });
  const end = async () => {
    ended = true;
    await Promise.all([outcomes.end(), ...[...sessions].map(discard)]);
  };
  return { transact, end };
}

/**
 * Data is never divided during a run, which holds the run lock, so an answer is kept. A failure is not: the next
 * transaction asks again. It is asked outside the transactions, because a statement would take their snapshot.
 */
export function rememberIfDivided({ sql }: Database): () => Promise<boolean> {
  let isOnShards: boolean | undefined;
  return async () => {
    try {
      isOnShards ??= await isDivided(sql);
      return isOnShards;
    } catch (thrown) {
      throw toReconError(thrown) ?? thrown;
    }
  };
}

/** How long a statement waits for another session's lock. */
const lockTimeout = '30s';

/** Gives the transaction the token of its run. */
export async function enterFence(tx: Tx, { token }: Fence): Promise<void> {
  await tx`select set_config('recon.fence', ${token.toString()}, true),
    set_config('lock_timeout', ${lockTimeout}, true)`;
}

/** Does the work without a limit for how long a statement waits for another session's lock. */
export async function waitingForLocks(tx: Tx, work: () => Promise<void>): Promise<void> {
  await tx`select set_config('lock_timeout', '0', true)`;
  await work();
  await tx`select set_config('lock_timeout', ${lockTimeout}, true)`;
}

/**
 * Replaces every earlier run and lets this transaction continue; for work that is not a run. A run that was paused
 * meanwhile must not continue with outdated data.
 */
export async function moveFence(tx: Tx): Promise<void> {
  await tx`with moved as (update run_fence set token = token + 1 returning token)
    select set_config('recon.fence', token::text, true) from moved`;
  // Each shard must know the last token of the home server, or the next run takes it for one that was restored alone.
  if (await isDivided(tx)) await enterShards(tx);
}
