import type { Sql } from '../db/client.js';

/** A worker as the database knows it. */
export interface ListedWorker {
  readonly host: string;
  readonly processId: number;
  readonly version: string;
  readonly filesAtOnce: number;
  readonly silentSeconds: number;
  /** Why it cannot read the archive of the runs. */
  readonly archiveProblem: string | null;
}

/** What the database knows about workers. */
export interface WorkerList {
  readonly workers: readonly ListedWorker[];
  /** Files of a run whose owner let its lease end, and that nobody has taken yet. */
  readonly lateFiles: readonly { readonly name: string; readonly runId: number }[];
  /** How many connections this account may open to the database. */
  readonly connections: number;
}

/** Workers that have not been seen for this long count as gone, for runs too. */
export const silentAfterSeconds = 20;

/** All workers that are listed, the files that they hold too long, and how many connections are allowed. */
export async function listWorkers(sql: Sql): Promise<WorkerList> {
  const workers = await sql<ListedWorker[]>`
    select host, process_id as "processId", version, files_at_once as "filesAtOnce",
      greatest(0, extract(epoch from clock_timestamp() - seen_at))::integer as "silentSeconds",
      archive_problem as "archiveProblem"
    from workers order by host, process_id, id`;
  const lateFiles = await sql<{ name: string; runId: number }[]>`
    select f.name, c.run_id as "runId" from file_claims c join settlement_files f on f.id = c.file_id
    where c.finished_at is null and c.lease_until < clock_timestamp() order by c.run_id, c.place`;
  const [limit] = await sql<{ connections: number }[]>`
    select least(
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        -- Since PostgreSQL 16.
        - coalesce(current_setting('reserved_connections', true), '0')::integer,
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as connections`;
  return { workers, lateFiles, connections: limit?.connections ?? 0 };
}

/**
 * How many connections a worker may open: the pool of 4, one that listens, one that renews leases, one that knows how a
 * commit ended, and one for each file.
 */
export const connectionsOfWorker = (filesAtOnce: number): number => 7 + filesAtOnce;
