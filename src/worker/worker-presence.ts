import type { Sql } from '../db/client.js';
import { runResponds } from '../intake/claims/who-responds.js';
import type { RunId } from '../values/ids.js';

/** Who a worker is. */
export interface WorkerIdentity {
  readonly id: string;
  readonly host: string;
  readonly processId: number;
  readonly version: string;
  readonly filesAtOnce: number;
  /** The sources that it downloads from; see `sharedSource`. */
  readonly sources: readonly string[];
}

/** The run that is active. */
export interface OpenRun {
  readonly id: RunId;
  /** Its permission to write. */
  readonly token: bigint;
  readonly version: string | null;
}

/** Notes that the worker is present, and looks for the run that is active. */
export async function lookForRun(sql: Sql, worker: WorkerIdentity): Promise<OpenRun | null> {
  const [run] = await sql<OpenRun[]>`
    with seen as (
      insert into workers (id, host, process_id, version, files_at_once, sources, started_at, seen_at)
      values (${worker.id}, ${worker.host}, ${worker.processId}, ${worker.version}, ${worker.filesAtOnce},
        ${[...worker.sources]}, clock_timestamp(), clock_timestamp())
      on conflict (id) do update set seen_at = excluded.seen_at
    )
    select r.id, r.fence_token as token, r.version
    from runs r join run_fence f on f.token = r.fence_token
    where ${runResponds(sql)}`;
  return run ?? null;
}

/** Stores what the worker found when it compared its archive with what the database lists. */
export async function noteArchive(sql: Sql, worker: WorkerIdentity, problem: string | null): Promise<void> {
  await sql`
    update workers set archive_checked_at = clock_timestamp(), archive_problem = ${problem}
    where id = ${worker.id}`;
}

/**
 * Removes workers that were killed long ago. Done when one starts: one that is always killed never gets to its end.
 */
export async function removeKilledWorkers(sql: Sql): Promise<void> {
  await sql`delete from workers where seen_at < clock_timestamp() - interval '1 day'`;
}

/** Removes the worker from the list, when it ends in order. */
export async function leave(sql: Sql, worker: WorkerIdentity): Promise<void> {
  await sql`delete from workers where id = ${worker.id}`;
}
