import { hostname } from 'node:os';
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
  if (row?.locked !== true) return (await workWithRunLock(session)) ?? 'A run is active on this database';
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

/** Whether a row of `pg_locks` is the run lock of this database, held by another session. */
export const holdsRunLock = (session: Sql) => session`
  locktype = 'advisory' and granted and pid <> pg_backend_pid()
    and ((classid::bigint << 32) | objid::bigint) = ${runLock.toString()}::bigint
    and database = (select oid from pg_database where datname = current_database())`;
