import { hostname } from 'node:os';
import type { RunId } from '../values/ids.js';
import type { Sql } from './client.js';

/** The advisory lock that a run holds: an arbitrary number that no other program on the same database uses. */
export const runLock = 7_236_501_188;

/** What takes the run lock without opening a run. */
export type WorkWithoutRun = 'dry run' | 'purge' | 'retire' | 'archive encrypt' | 'move' | 'shards divide';

/**
 * Takes the lock of a run (`src/run/run-lock.ts`) for other work during which nothing may run; it is held until the
 * session ends.
 *
 * @returns null if it was free; otherwise the beginning of a sentence that says what holds it
 */
export async function tryRunLock(session: Sql, work: WorkWithoutRun): Promise<string | null> {
  const [row] = await session<{ locked: boolean }[]>`select pg_try_advisory_lock(${runLock}) as locked`;
  if (row?.locked !== true)
    return (await workWithRunLock(session)) ?? describeRun(await runWithLock(session));
  await nameHolder(session, work);
  return null;
}

/** Names the session that holds the lock without a run, so that whoever is refused can say what to wait for. */
export async function nameHolder(session: Sql, work: WorkWithoutRun): Promise<void> {
  await session`select set_config('application_name', ${workSessionName(work)}, false)`;
}

/** The server cuts a name after 63 bytes. */
const workSessionName = (work: WorkWithoutRun) => `recon lock: ${work} ${process.pid} ${hostname()}`;

/** The beginning of a sentence that says which work without a run holds the lock; undefined if none does. */
export async function workWithRunLock(session: Sql): Promise<string | undefined> {
  const [holder] = await session<{ name: string | null; started_at: string }[]>`
    select a.application_name as name, to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as started_at
    from pg_locks join pg_stat_activity a using (pid) where ${holdsRunLock(session)}`;
  const found = /^recon lock: (.+) (\d+) (\S*)$/.exec(holder?.name ?? '');
  if (holder === undefined || found === null) return undefined;
  const [, work = '', processId = '', host = ''] = found;
  const subject = work === 'dry run' ? 'A dry run' : `\`recon ${work}\``;
  return `${subject} (process ${processId} on ${host}) has been active since ${holder.started_at} UTC`;
}

/** A run without a heartbeat for this long is replaced, even though its connection is open. */
const staleAfterSeconds = 60;

/** The run that holds the lock, as its row describes it. */
export interface LockHolder {
  readonly id: RunId;
  readonly kind: string;
  readonly host: string;
  readonly process_id: number;
  readonly started_at: string;
  /** Whether its last heartbeat is too old. */
  readonly stale: boolean;
}

/** The run that is active; undefined if it is just starting. */
export async function runWithLock(session: Sql): Promise<LockHolder | undefined> {
  const [holder] = await session<LockHolder[]>`
    select id, kind, host, process_id, to_char(started_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as started_at,
      heartbeat_at < now() - make_interval(secs => ${staleAfterSeconds}) as stale
    from runs where status = 'running' order by id desc limit 1`;
  return holder;
}

/** The beginning of a sentence that says which run is active. */
export function describeRun(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'Another run is starting on this database';
  const { id, kind, process_id: processId, host, started_at: startedAt } = holder;
  return `Run ${id} (${kind}, process ${processId} on ${host}) has been active since ${startedAt} UTC`;
}

/** Whether a row of `pg_locks` is the run lock of this database, held by another session. */
export const holdsRunLock = (session: Sql) => session`
  locktype = 'advisory' and granted and pid <> pg_backend_pid()
    and ((classid::bigint << 32) | objid::bigint) = ${runLock.toString()}::bigint
    and database = (select oid from pg_database where datname = current_database())`;
