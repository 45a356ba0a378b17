import { hostname } from 'node:os';
import type { Sql } from '../db/client.js';
import type { Fence } from '../db/fence.js';
import { transactOnce } from '../db/transaction.js';
import { openWatchedSession, type WatchedSession } from '../db/watched-session.js';
import { failPoint } from '../fail-point.js';
import { ReconError, messageOf } from '../errors.js';
import type { CalendarDate } from '../values/calendar-date.js';
import type { RunContext } from './run-context.js';

/** Any number that no other user of the same database takes. */
const advisoryLock = 7_236_501_188;
const heartbeatEveryMs = 5_000;
/** A run without a sign of life for this long is taken for dead even though its connection stands. */
const staleAfterSeconds = 60;

/** What a run is about to do, as its row in `runs` records it. */
export interface RunRequest {
  readonly kind: 'run' | 'rerun';
  readonly asOf: CalendarDate;
  readonly range: { readonly from: CalendarDate; readonly to: CalendarDate } | null;
  /** ISO moment of the planned start when the scheduler called. */
  readonly scheduledFor: string | null;
}

/** The right to write: held until `release`, lost when the connection dies or another run takes over. */
export interface RunLock {
  readonly fence: Fence;
  /** Aborted when the lock is lost: the run must stop before its next commit (the fence would refuse it). */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Takes the one lock of this database and opens the run: a session advisory lock says who is alive, a
 * heartbeat finds the run that is alive but stopped, and the fence token makes the database itself refuse
 * whoever was replaced (design 9). A dry run takes the lock and leaves no trace of itself.
 *
 * @throws ReconError RUN_ACTIVE when a live run holds the lock, naming it.
 */
export async function acquireRunLock(
  context: RunContext,
  request: RunRequest,
  dryRun: boolean,
): Promise<RunLock> {
  const lost = new AbortController();
  const watched = openWatchedSession((lose) =>
    context.database.openSession(() => {
      lose();
      lost.abort(
        new ReconError(
          'RUN_REPLACED',
          'The connection that held the run lock was lost; nothing more was written.',
        ),
      );
    }),
  );
  const session = watched.sql;
  try {
    failPoint('lock.before');
    await requireOwnBackend(session, context.database.sql);
    await takeLock(session);
    await endWriters(session);
    const fence = dryRun ? await previewFence(session) : await openRun(watched, context, request);
    failPoint('lock.after');
    const heartbeat = dryRun ? undefined : beat(session, fence.runId, lost);
    return {
      fence,
      lost: lost.signal,
      release: async () => {
        clearInterval(heartbeat);
        await end(watched);
      },
    };
  } catch (thrown) {
    await end(watched);
    throw thrown;
  }
}

/** The driver would wait in vain for what a lost connection still owes. */
function end(session: WatchedSession): Promise<void> {
  return session.isLost() ? session.discard() : session.sql.end({ timeout: 5 });
}

/**
 * A connection pooler that deals the server's sessions out by the transaction makes a session lock worthless: it
 * would belong to whoever comes next. Two of our connections are then served by one of the server's.
 */
async function requireOwnBackend(session: Sql, pool: Sql): Promise<void> {
  const [own] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const [other] = await pool<{ pid: number }[]>`select pg_backend_pid() as pid`;
  if (own?.pid !== other?.pid) return;
  throw new ReconError(
    'DATABASE_UNREACHABLE',
    'RECON_DATABASE_URL leads to a connection pooler that shares sessions between transactions, which cannot hold the lock of a run. Name the server itself, or let the pooler keep a session per connection (pool_mode = session).',
  );
}

async function takeLock(session: Sql): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const [answer] = await session<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${advisoryLock.toString()}::bigint) as taken`;
    if (answer?.taken === true) return;
    const [holder] = await session<ActiveRun[]>`
      select id, kind, host, process_id, to_char(started_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as started_at,
        heartbeat_at < now() - make_interval(secs => ${staleAfterSeconds}) as stale
      from runs where status = 'running' order by id desc limit 1`;
    if (holder?.stale !== true) throw runActive(holder);
    await endHolder(session, holder.id);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw runActive(undefined);
}

interface ActiveRun {
  id: number;
  kind: string;
  host: string;
  process_id: number;
  started_at: string;
  stale: boolean;
}

function runActive(holder: ActiveRun | undefined): ReconError {
  return new ReconError(
    'RUN_ACTIVE',
    holder === undefined
      ? 'Another run is just starting or checking on this database.'
      : `Run ${holder.id} (${holder.kind}, process ${holder.process_id} on ${holder.host}) has been active since ${holder.started_at} UTC.`,
  );
}

/** How the session that holds the lock calls itself, so that it is known whose it is. */
const sessionName = (runId: number) => `recon run ${runId}`;

/**
 * Ends the session of a stopped run; its process finds the fence closed should it ever wake up. A lock that is
 * held by another, who has just taken it or leaves no trace, is left alone.
 */
async function endHolder(session: Sql, runId: number): Promise<void> {
  await session`
    select pg_terminate_backend(pid) from pg_locks join pg_stat_activity a using (pid)
    where a.application_name = ${sessionName(runId)} and locktype = 'advisory' and granted and pid <> pg_backend_pid()
      and ((classid::bigint << 32) | objid::bigint) = ${advisoryLock.toString()}::bigint
      and database = (select oid from pg_database where datname = current_database())`;
}

/**
 * Ends what a run that has lost the lock still has under way. A process that stands still in the middle of a
 * transaction holds the fence (FOR SHARE) for as long as it does, and the take-over would wait for it.
 */
async function endWriters(session: Sql): Promise<void> {
  await session`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'relation' and relation = 'run_fence'::regclass and mode = 'RowShareLock' and granted
      and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`;
}

async function previewFence(session: Sql): Promise<Fence> {
  const [row] = await session<{ token: bigint; run_id: number }[]>`
    select token, (select coalesce(max(id), 0) + 1 from runs) as run_id from run_fence`;
  if (row === undefined) throw new Error('run_fence has no row');
  return { token: row.token, runId: row.run_id };
}

/** In one transaction: buries the dead, moves the fence, opens the run. Ids have no gaps: one writer. */
async function openRun(session: WatchedSession, context: RunContext, request: RunRequest): Promise<Fence> {
  return transactOnce(session, async (tx) => {
    const now = new Date(context.clock()).toISOString();
    await tx`update runs set status = 'abandoned', finished_at = greatest(started_at, ${now}::timestamptz)
      where status = 'running'`;
    const [row] = await tx<{ token: bigint; run_id: number }[]>`
      update run_fence set token = token + 1, run_id = (select coalesce(max(id), 0) + 1 from runs)
      returning token, run_id`;
    if (row === undefined) throw new Error('run_fence has no row');
    await tx`select set_config('application_name', ${sessionName(row.run_id)}, false)`;
    await tx`
      insert into runs (id, kind, status, fence_token, as_of, from_date, to_date, scheduled_for, started_at,
        heartbeat_at, host, process_id)
      values (${row.run_id}, ${request.kind}, 'running', ${row.token}, ${request.asOf},
        ${request.range?.from ?? null}, ${request.range?.to ?? null}, ${request.scheduledFor}, ${now},
        now(), ${hostname()}, ${process.pid})`;
    return { runId: row.run_id, token: row.token };
  });
}

function beat(session: Sql, runId: number, lost: AbortController): NodeJS.Timeout {
  const replaced = (why: string) => {
    lost.abort(
      new ReconError('RUN_REPLACED', `Run ${runId} lost its lock (${why}); nothing more was written.`),
    );
  };
  const timer = setInterval(() => {
    session`update runs set heartbeat_at = now() where id = ${runId} and status = 'running'`.then(
      (result) => {
        if (result.count === 0) replaced('another run took over');
      },
      (thrown: unknown) => replaced(messageOf(thrown)),
    );
  }, heartbeatEveryMs);
  timer.unref();
  return timer;
}
