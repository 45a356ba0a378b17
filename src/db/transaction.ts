import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { ReconError } from '../errors.js';
import { acceptArrays } from './connection/array-values.js';
import { poolOutcome, type Outcome } from './sessions/commit-outcome.js';
import type { Sql, Tx } from './client.js';
import { namingShard } from './shards/enter-shards.js';
import { isCollision, isConnectionLoss, toReconError } from './database-errors.js';
import {
  guardTransaction,
  watchConnection,
  type Connection,
  type GuardTransaction,
} from './sessions/guarded-transaction.js';
import { rememberSession } from './sessions/sessions-alike.js';
import { watchAlike } from './watch-statements.js';
import { openWatchedSession, type WatchedSession } from './sessions/watched-session.js';

/** Where one transaction takes place: a dedicated session, or a connection borrowed from a pool. */
export interface TransactionPlace extends Connection {
  readonly sql: Sql;
  readonly guard: GuardTransaction;
}

/** How a transaction begins, and how to find out afterwards whether it was committed. */
export interface TransactionTerms {
  /** Follows BEGIN. */
  readonly isolation?: string;
  /** Sent first. Returns the transaction's number if it queried it; otherwise it is queried before COMMIT. */
  readonly open?: (tx: Tx) => Promise<string | undefined>;
  /** Called only if the connection is lost after COMMIT was sent. */
  readonly outcomeOf?: (transactionId: string) => Promise<Outcome>;
}

/** For the steps of a run, which take long. */
const pausesOfRun = [50, 200, 800];
/** For short transactions that a caller waits for. */
const pausesOfPool = [20, 100, 400];

/**
 * Does the work in one transaction on a new, separate connection, for long work outside a run. The work is repeated
 * after a deadlock.
 *
 * @param isolation follows BEGIN
 * @param giveUp closes the connection, because a statement that waits for a lock cannot stop at a safe point
 * @throws ReconError of `toReconError` for the database's errors, and whatever the work threw
 */
export async function inOwnTransaction<T>(
  sql: Sql,
  work: (tx: Tx) => Promise<T>,
  isolation = '',
  giveUp?: AbortSignal,
): Promise<T> {
  return withRetries(async () => {
    const session = openSessionAlike(sql);
    const interrupt = () => {
      session.lose();
      void session.discard();
    };
    giveUp?.addEventListener('abort', interrupt, { once: true });
    try {
      return await transactOnce(session, work, { isolation });
    } finally {
      giveUp?.removeEventListener('abort', interrupt);
      await session.discard();
    }
  });
}

/**
 * Does the work in one transaction on a new, separate connection, and once that is committed, something else on the
 * same connection, which can read the temporary tables that the transaction left. Only the transaction is repeated
 * after a deadlock.
 *
 * @throws what `inOwnTransaction` throws; DATABASE_FAILED when the connection is lost after the commit
 */
export async function inOwnSession<Done, Result>(
  sql: Sql,
  work: (tx: Tx) => Promise<Done>,
  afterwards: (session: Sql, done: Done) => Promise<Result>,
): Promise<Result> {
  const { session, done } = await withRetries(async () => {
    const opened = openSessionAlike(sql);
    try {
      return { session: opened, done: await transactOnce(opened, work) };
    } catch (thrown) {
      await opened.discard();
      throw thrown;
    }
  });
  try {
    return await afterwards(session.sql, done);
  } catch (thrown) {
    if (!session.isLost()) throw toReconError(thrown) ?? thrown;
    throw new ReconError(
      'DATABASE_FAILED',
      'The connection to the database was lost after the transaction was committed, so only the answer is missing.',
      { cause: thrown },
    );
  } finally {
    await session.discard();
  }
}

function openSessionAlike(sql: Sql): WatchedSession {
  return rememberSession(
    sql,
    openWatchedSession((lost) => openAlike(sql, lost)),
  );
}

/**
 * A client like another, with a single connection: as the driver does for `listen`. It gets its own tables of types:
 * each new connection adds what it learns about tables that are new, as functions that refer to it. In the tables of
 * the other client they were never removed: one ended connection for each large file that a scheduler had loaded.
 */
function openAlike(sql: Sql, lost: () => void): Sql {
  // Not in the driver's type of the options.
  const { parsers, serializers, shared } = sql.options as typeof sql.options & { shared: SharedTypes };
  const options = {
    ...sql.options,
    parsers: { ...parsers },
    serializers: { ...serializers },
    shared: { ...shared, typeArrayMap: { ...shared.typeArrayMap } },
    max: 1,
    // The client of a program may ask the server for its types. An error of that question would end the program.
    fetch_types: false,
    onclose: lost,
  };
  // Parsed options are used as they are, types included; the driver's type allows only unparsed ones.
  const client = postgres(options as never) as unknown as Sql;
  acceptArrays(client);
  return watchAlike(sql, client);
}

/** What the driver shares between the connections of one client. */
interface SharedTypes {
  readonly typeArrayMap: Readonly<Record<number, number>>;
}

/**
 * Does the work in one short transaction on a connection of the pool; many may run at once. The work is repeated after
 * a deadlock. If the reply to COMMIT is lost, another connection of the pool asks for the outcome.
 *
 * @param lockTimeout how long it waits for another session's lock, such as `15s`
 * @throws ReconError of `toReconError`; DATABASE_FAILED when it was not committed, or, as the message says, when that
 *   is unknown; and whatever the work threw
 */
export async function inPooledTransaction<T>(
  sql: Sql,
  work: (tx: Tx) => Promise<T>,
  lockTimeout: string,
): Promise<T> {
  let begun = false;
  const attempt = () => {
    begun = false;
    const connection = watchConnection();
    const place: TransactionPlace = {
      ...connection,
      sql,
      guard: (tx, guardedWork) => guardTransaction(connection, tx, guardedWork),
    };
    let begunAt = '';
    return transactOnce(place, work, {
      open: async (tx) => {
        begun = true;
        const [row] = await tx<{ id: string; begunAt: string }[]>`
          select pg_current_xact_id()::text as id, now()::text as "begunAt",
            set_config('lock_timeout', ${lockTimeout}, true)`;
        begunAt = row?.begunAt ?? '';
        return row?.id;
      },
      outcomeOf: (id) => poolOutcome(sql, id, begunAt),
    });
  };
  // If a connection ended during a statement, the driver reports that end again for the next BEGIN.
  const mayRetry = (thrown: unknown) => isCollision(thrown) || (!begun && isConnectionLoss(thrown));
  return withRetries(attempt, pausesOfPool, mayRetry);
}

/**
 * One attempt at a transaction. If a session is lost meanwhile, it must be discarded; a pool does that itself.
 *
 * @throws what the work or the driver throws; DATABASE_FAILED when the connection is lost; the message says if it is
 *   unknown whether it was committed
 */
export async function transactOnce<T>(
  place: TransactionPlace,
  work: (tx: Tx) => Promise<T>,
  { isolation = '', open, outcomeOf = () => Promise.resolve('unknown') }: TransactionTerms = {},
): Promise<T> {
  let finished: { result: T; transactionId: string | null } | undefined;
  try {
    const done = place.sql.begin(
      isolation,
      (tx) =>
        place.guard(tx, async (guarded) => {
          // Not awaited: it is sent together with the first statement of the work.
          const opening = open?.(guarded);
          const result = await firstFailure(opening, () => work(guarded));
          finished = { result, transactionId: (await opening) ?? (await numberOf(guarded)) };
          return result;
        }),
      // The driver's type unwraps arrays of promises, which a result of ours never is.
    ) as Promise<T>;
    return await Promise.race([done, place.lost]);
  } catch (thrown) {
    if (isConnectionLoss(thrown)) place.lose();
    if (!place.isLost()) throw await namingShard(place.sql, thrown);
    if (finished === undefined) throw thrown;
    // A transaction that wrote nothing has no number, and nothing to lose.
    const { result, transactionId } = finished;
    const outcome = transactionId === null ? 'committed' : await outcomeOf(transactionId);
    if (outcome === 'committed') return result;
    if (outcome === 'undone') throw thrown;
    throw new ReconError(
      'DATABASE_FAILED',
      'The connection to the database was lost while a transaction was committed, so it is unknown whether it was stored. The next run finds out about a run and continues it. Look anything else up before you repeat it, such as a payment, a decision or a token.',
      { cause: thrown },
    );
  }
}

/** Does the work. If the transaction could not be opened, that is the error, and not that its statements fail too. */
async function firstFailure<T>(opening: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
  opening?.catch(() => undefined);
  try {
    return await work();
  } catch (thrown) {
    await opening;
    throw thrown;
  }
}

async function numberOf(tx: Tx): Promise<string | null> {
  const [row] = await tx<{ id: string | null }[]>`select pg_current_xact_id_if_assigned()::text as id`;
  return row?.id ?? null;
}

/** Repeats the work a few times if it collided with another transaction. Errors get readable messages. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  pausesMs: readonly number[] = pausesOfRun,
  mayRetry: (thrown: unknown) => boolean = isCollision,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const pauseMs = pausesMs[failures];
      if (pauseMs === undefined || !mayRetry(thrown)) throw toReconError(thrown) ?? thrown;
      await sleep(pauseMs);
    }
  }
}
