import type { Tx } from './client.js';
import type { Database } from './connect.js';
import { toReconError } from './database-errors.js';
import { openWitness } from './witness.js';
import { transactOnce, withRetries } from './transaction.js';
import { openWatchedSession, type WatchedSession } from './watched-session.js';
import type { RunId } from '../values/ids.js';

/** The right to write: a run's number and the token that its transactions carry. */
export interface Fence {
  readonly runId: RunId;
  readonly token: bigint;
}

/**
 * Does its work in one transaction, or in a savepoint of a dry run's, with errors of the database in words for
 * people. The work may be done again after a deadlock, so it must not consume what it cannot get again.
 */
export type Transact = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The transactions of one run, on connections that are the run's own. */
export interface FencedTransactions {
  readonly transact: Transact;
  /**
   * Ends the connections, those of a transaction under way too; nothing can be done with them afterwards. Whoever
   * began must call it: a process may stay up for hundreds of runs. Never throws.
   */
  end(): Promise<void>;
}

/**
 * All of a transaction sees the database as it was when it began: a payment that is stored meanwhile is not in one
 * half of its work and missing from the other. A take-over meanwhile is a serialization failure, and RF001 when
 * the transaction is then tried again.
 */
const oneSnapshot = 'isolation level repeatable read';

/**
 * Transactions that carry the fence (migration 0001): a write of a run that was replaced, or outside its
 * transaction, is refused by the database.
 *
 * @returns transactions that throw ReconError RUN_REPLACED when the run was replaced, DATABASE_FAILED when the
 *   connection was lost (after COMMIT only when it did not happen, or saying that nobody knows), other database
 *   codes of `toReconError`, and whatever the work threw
 * @param giveUp ends the connection of a transaction under way: one statement over millions of rows, or one that
 *   waits for a lock, has no boundary at which it could stop
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
  const witness = openWitness(open);
  const transact: Transact = (work) =>
    withRetries(async () => {
      if (hasEnded()) throw new Error('a transaction was begun after the end of its run');
      await witness.attend();
      const session = takeSession();
      const enterAndWork = async (tx: Tx) => {
        await enter(tx, fence);
        return work(tx);
      };
      const interrupt = () => void discard(session);
      giveUp?.addEventListener('abort', interrupt, { once: true });
      try {
        return await transactOnce(session, enterAndWork, {
          isolation: oneSnapshot,
          outcomeOf: (id) => witness.outcomeOf(id),
        });
      } finally {
        giveUp?.removeEventListener('abort', interrupt);
        if (hasEnded() || session.isLost()) void discard(session);
        else idle.push(session);
      }
    });
  const end = async () => {
    ended = true;
    await Promise.all([witness.end(), ...[...sessions].map(discard)]);
  };
  return { transact, end };
}

async function enter(tx: Tx, { token }: Fence): Promise<void> {
  await tx`select set_config('recon.fence', ${token.toString()}, true), set_config('lock_timeout', '30s', true)`;
}

/**
 * Shuts out every run that was there before, and lets this transaction go on: for what is no run itself. One that
 * sleeps through it must not go on with what it knew.
 */
export async function moveFence(tx: Tx): Promise<void> {
  await tx`with moved as (update run_fence set token = token + 1 returning token)
    select set_config('recon.fence', token::text, true) from moved`;
}

/**
 * One transaction around a whole dry run: every unit is a savepoint, one after the other, and sees what came
 * before; its end undoes all of it.
 */
export async function fencedDryRun(
  database: Database,
  fence: Fence,
  giveUp?: AbortSignal,
): Promise<FencedTransactions> {
  const session = openWatchedSession((lost) => database.openSession(lost));
  const interrupt = () => void session.discard();
  giveUp?.addEventListener('abort', interrupt, { once: true });
  const discard = () => {
    giveUp?.removeEventListener('abort', interrupt);
    return session.discard();
  };
  const undone = new Error('the dry run is over');
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let outer: Promise<unknown> = Promise.resolve();
  const tx = await new Promise<Tx>((resolve, reject) => {
    outer = session.sql
      .begin(oneSnapshot, (handle) =>
        session.guard(handle, async (guarded) => {
          await enter(guarded, fence);
          resolve(guarded);
          await ended;
          throw undone;
        }),
      )
      .catch(reject);
  }).catch(async (thrown: unknown) => {
    await discard();
    throw toReconError(thrown) ?? thrown;
  });
  let last: Promise<unknown> = Promise.resolve();
  const transact: Transact = (work) => {
    const unit = last.then(() =>
      // A savepoint's type unwraps arrays of promises as that of a transaction does.
      withRetries(() => Promise.race([tx.savepoint(work), session.lost]) as ReturnType<typeof work>),
    );
    last = unit.catch(() => undefined);
    return unit;
  };
  return {
    transact,
    end: async () => {
      await last;
      end();
      await Promise.race([outer, session.lost.catch(() => undefined)]);
      await discard();
    },
  };
}
