import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import { requireFenceTriggers } from '../db/migration/check-schema.js';
import type { Sql, Tx } from '../db/client.js';
import type { Database } from '../db/connect.js';
import { requireOwnBackend } from '../db/connection/connection-pooler.js';
import { enterShardsForRun } from '../db/shards/enter-shards.js';
import type { Fence } from '../db/fence.js';
import { transactOnce, withRetries } from '../db/transaction.js';
import {
  describeRun,
  holdsRunLock,
  nameHolder,
  runLock,
  runWithLock,
  workWithRunLock,
  type LockHolder,
  type WorkWithoutRun,
} from '../db/try-run-lock.js';
import { openWatchedSession, type WatchedSession } from '../db/sessions/watched-session.js';
import { failPoint } from '../fail-point.js';
import { ReconError, messageOf } from '../errors.js';
import { readPackageVersion } from '../package-version.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { abandonedRun, recordSettings } from './audit-run.js';
import type { RunContext } from './run-context.js';
import type { RunId } from '../values/ids.js';

const heartbeatEveryMs = 5_000;

/** What a run is about to do, as recorded in its row in `runs`. */
export interface RunRequest {
  readonly kind: 'run' | 'rerun';
  readonly asOf: CalendarDate;
  readonly range: { readonly from: CalendarDate; readonly to: CalendarDate } | null;
  /** ISO moment of the planned start when the scheduler called. */
  readonly scheduledFor: string | null;
}

/** The right to write: held until `release`, lost when the connection is lost or another run takes over. */
export interface RunLock {
  readonly fence: Fence;
  /** Aborted when the lock is lost: the run must stop before its next commit (the fence would refuse it). */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Takes the run lock of this database and opens the run. A session advisory lock shows which run has a process, a
 * heartbeat shows whether that process is suspended, and the fence token makes the database refuse a run that was
 * replaced (design 9).
 *
 * @throws ReconError RUN_ACTIVE when an active run holds the lock, naming it. DATABASE_SCHEMA when a table has lost the
 *   trigger that checks the token
 */
export function acquireRunLock(context: RunContext, request: RunRequest): Promise<RunLock> {
  const open = (session: WatchedSession) => openRun(session, context, request);
  return acquire(context.database, { open, hasHeartbeat: true });
}

/**
 * Takes the run lock without opening a run, for a dry run and for work during which no run may be active. It leaves no
 * row that others could take over, and has no heartbeat; the name of its session says who holds the lock. Its fence has
 * the current token and the number that the next run will get.
 *
 * @throws ReconError as {@link acquireRunLock}
 */
export function acquireLockWithoutRun(
  { database }: Pick<RunContext, 'database'>,
  work: WorkWithoutRun,
): Promise<RunLock> {
  const open = async ({ sql }: WatchedSession) => {
    await nameHolder(sql, work);
    return previewFence(sql);
  };
  return acquire(database, { open, hasHeartbeat: false });
}

interface LockOptions {
  /** Called once the session has the lock. */
  readonly open: (session: WatchedSession) => Promise<Fence>;
  readonly hasHeartbeat: boolean;
}

async function acquire(database: Database, { open, hasHeartbeat }: LockOptions): Promise<RunLock> {
  const lost = new AbortController();
  const watched = openWatchedSession((lose) =>
    database.openSession(() => {
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
    await requireOwnBackend(session, database.sql);
    await requireFenceTriggers(session);
    await takeLock(session);
    await endWriters(session);
    const fence = await open(watched);
    failPoint('lock.after');
    const heartbeat = hasHeartbeat ? beat(session, fence.runId, lost) : undefined;
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

/** The driver would wait forever for an answer on a lost connection. */
function end(session: WatchedSession): Promise<void> {
  return session.isLost() ? session.discard() : session.sql.end({ timeout: 5 });
}

/** How often the lock is tried while the session of a suspended run ends. */
const lockTries = 20;
const betweenTriesMs = 50;

async function takeLock(session: Sql): Promise<void> {
  for (let attempt = 0; attempt < lockTries; attempt += 1) {
    const [answer] = await session<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${runLock.toString()}::bigint) as taken`;
    if (answer?.taken === true) return;
    const work = await workWithRunLock(session);
    if (work !== undefined)
      throw new ReconError('RUN_ACTIVE', `${work}, and no run can begin until it ends.`);
    const holder = await runWithLock(session);
    if (holder?.stale !== true) throw runActive(holder);
    await endHolder(session, holder.id);
    await sleep(betweenTriesMs);
  }
  throw runActive(undefined);
}

function runActive(holder: LockHolder | undefined): ReconError {
  return new ReconError('RUN_ACTIVE', `${describeRun(holder)}.`);
}

/** The application name of the session that holds the lock; it identifies the run. */
const sessionName = (runId: RunId) => `recon run ${runId}`;

/**
 * Ends the session of a suspended run; if its process continues, the fence refuses it. A lock that another run has just
 * taken, or that a dry run holds, is not touched.
 */
async function endHolder(session: Sql, runId: RunId): Promise<void> {
  await session`
    select pg_terminate_backend(pid) from pg_locks join pg_stat_activity a using (pid)
    where a.application_name = ${sessionName(runId)} and ${holdsRunLock(session)}`;
}

/**
 * Ends the open transactions of a run that has lost the lock. A process that is suspended in the middle of a
 * transaction holds the fence row (FOR SHARE), and the take-over would wait for it.
 */
async function endWriters(session: Sql): Promise<void> {
  await session`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'relation' and relation = 'run_fence'::regclass and mode = 'RowShareLock' and granted
      and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`;
}

async function previewFence(session: Sql): Promise<Fence> {
  const [row] = await session<{ token: bigint; run_id: RunId }[]>`
    select token, (select coalesce(max(id), 0) + 1 from runs) as run_id from run_fence`;
  if (row === undefined) throw new Error('run_fence has no row');
  return { token: row.token, runId: row.run_id };
}

/**
 * In one transaction: marks every run that has not ended as abandoned, increments the fence token, inserts the new run.
 * Ids have no gaps, because there is one writer. Repeated after a collision, such as with a decision that is being
 * stored.
 */
async function openRun(session: WatchedSession, context: RunContext, request: RunRequest): Promise<Fence> {
  const open = async (tx: Tx) => {
    const now = new Date(context.clock()).toISOString();
    const abandoned = await tx<{ id: RunId }[]>`
      update runs set status = 'abandoned', finished_at = greatest(started_at, ${now}::timestamptz)
      where status = 'running' returning id`;
    const [row] = await tx<{ token: bigint; run_id: RunId }[]>`
      update run_fence set token = token + 1, run_id = (select coalesce(max(id), 0) + 1 from runs)
      returning token, run_id`;
    if (row === undefined) throw new Error('run_fence has no row');
    await enterShardsForRun(tx, row.token);
    await tx`select set_config('application_name', ${sessionName(row.run_id)}, false)`;
    await tx`
      insert into runs (id, kind, status, fence_token, as_of, from_date, to_date, scheduled_for, started_at,
        heartbeat_at, host, process_id, version)
      values (${row.run_id}, ${request.kind}, 'running', ${row.token}, ${request.asOf},
        ${request.range?.from ?? null}, ${request.range?.to ?? null}, ${request.scheduledFor}, ${now},
        now(), ${hostname()}, ${process.pid}, ${readPackageVersion().version})`;
    await appendAuditEvents(
      tx,
      context.author,
      abandoned.map(({ id }) => abandonedRun(id)),
    );
    if (context.settings !== null) await recordSettings(tx, context.author, context.settings);
    return { runId: row.run_id, token: row.token };
  };
  return withRetries(() => transactOnce(session, open));
}

/** Writes a heartbeat regularly; a run that finds its row taken over, or cannot write it, has lost its lock. */
function beat(session: Sql, runId: RunId, lost: AbortController): NodeJS.Timeout {
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
