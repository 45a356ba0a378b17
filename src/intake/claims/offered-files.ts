import type { Sql, Tx } from '../../db/client.js';
import type { FileId, RunId } from '../../values/ids.js';
import { claimChannel, endConnections, endEarlierLoad, type FileClaim } from './file-claim.js';
import { workerResponds } from './who-responds.js';

/** A file that a run offers to its workers. What decides how it is loaded comes from the run. */
export interface OfferedFile {
  readonly runId: RunId;
  /** Its number in the order in which the run finishes its files. */
  readonly place: number;
  readonly fileId: FileId;
  readonly timezone: string;
  readonly maxRejectedShare: number;
  readonly leaseSeconds: number;
}

/** The state of an offered file. */
export type OfferState = 'free' | 'taken' | 'finished';

/** Offers a file of a run to the workers, and wakes the workers. */
export async function offerFile(tx: Tx, offer: OfferedFile): Promise<void> {
  await tx`
    insert into file_claims (run_id, place, file_id, timezone, max_rejected_share, lease_seconds)
    values (${offer.runId}, ${offer.place}, ${offer.fileId}, ${offer.timezone}, ${offer.maxRejectedShare},
      ${offer.leaseSeconds})`;
  await tx`select pg_notify(${claimChannel}, '')`;
}

/**
 * The run takes a file that it offers.
 *
 * @returns null when a worker was faster, or is just claiming it
 */
export async function takeOffer(
  tx: Tx,
  { runId, place, fileId }: OfferedFile,
  owner: string,
): Promise<FileClaim | null> {
  const [row] = await tx<{ attempt: number }[]>`
    update file_claims set owner = ${owner}, attempt = attempt + 1, claimed_at = clock_timestamp(),
      lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
    where run_id = ${runId} and place = (select place from file_claims where run_id = ${runId} and place = ${place}
      and owner is null and finished_at is null for update skip locked)
    returning attempt`;
  return row === undefined ? null : { runId, place, fileId, owner, attempt: row.attempt };
}

interface OfferRow {
  place: number;
  state: OfferState;
  /** The lease of another owner has ended. */
  is_late: boolean;
  elapsed_ms: number;
}

/** What has become of an offer; `isLate` if the lease of its worker has ended. */
export interface CurrentOffer {
  readonly state: OfferState;
  readonly isLate: boolean;
  /** From the claim to the end. */
  readonly elapsedMs: number;
}

/** The offers of a run, by place. */
export async function readOffers(
  sql: Sql | Tx,
  runId: RunId,
  owner: string,
  places: readonly number[],
): Promise<Map<number, CurrentOffer>> {
  const rows = await sql<OfferRow[]>`
    select place,
      case when finished_at is not null then 'finished' when owner is null then 'free' else 'taken' end as state,
      finished_at is null and owner <> ${owner} and lease_until < clock_timestamp() as is_late,
      coalesce(round(extract(epoch from finished_at - claimed_at) * 1000), 0)::integer as elapsed_ms
    from file_claims where run_id = ${runId} and place in ${sql([...places])}`;
  return new Map(
    rows.map((row) => [row.place, { state: row.state, isLate: row.is_late, elapsedMs: row.elapsed_ms }]),
  );
}

/** Frees a file whose owner let its lease end, and ends what that owner was doing. */
export async function freeLateOffer(tx: Tx, { runId, place, fileId }: OfferedFile): Promise<boolean> {
  const freed = await tx`
    update file_claims set owner = null, attempt = attempt + 1, lease_until = null
    where run_id = ${runId} and place = (select place from file_claims where run_id = ${runId} and place = ${place}
      and finished_at is null and lease_until < clock_timestamp() for update skip locked)`;
  if (freed.count === 0) return false;
  await endEarlierLoad(tx, fileId);
  return true;
}

/**
 * Ends the connections of workers that are suspended while they claim a file or extend its lease: the row of the claim
 * is locked until then, and nobody could take it. The connections of the run itself stay, although they may be late
 * too: the run would end its own load, and with it itself.
 */
export async function endStuckClaims(tx: Tx, runId: RunId, owner: string): Promise<void> {
  await endConnections(
    tx,
    (point) => point`
      select pg_terminate_backend(l.pid) from file_claims c
      -- The transaction that has changed the row and is not committed.
      join pg_locks l on l.locktype = 'transactionid' and l.granted and l.transactionid = c.xmax
      join pg_stat_activity a on a.pid = l.pid
      where c.run_id = ${runId} and c.finished_at is null and l.pid <> pg_backend_pid()
        and c.owner is distinct from ${owner}
        and case when c.owner is null then a.xact_start < clock_timestamp() - make_interval(secs => c.lease_seconds)
          else c.lease_until < clock_timestamp() end`,
  );
}

/** The run no longer shares any file: a file that a worker still loads is refused. */
export async function withdrawOffers(tx: Tx): Promise<void> {
  await tx`delete from file_claims`;
}

/** How many files workers of this release can load at once. */
export async function filesWorkersCanLoad(sql: Sql, version: string): Promise<number> {
  const [row] = await sql<{ files: number }[]>`
    select coalesce(sum(files_at_once), 0)::integer as files from workers
    where version = ${version} and ${workerResponds(sql)}`;
  return row?.files ?? 0;
}

/** How many files nobody downloads or loads yet, and how many workers are there, of this release and of others. */
export async function queueFigures(
  sql: Sql,
  version: string,
): Promise<{ readonly waiting: number; readonly same: number; readonly other: number }> {
  const [row] = await sql<{ waiting: number; same: number; other: number }[]>`
    select (select count(*)::integer from file_claims c join runs r on r.id = c.run_id
        where r.status = 'running' and c.owner is null and c.finished_at is null)
      + (select count(*)::integer from file_downloads d join runs r on r.id = d.run_id
        where r.status = 'running' and d.owner is null and d.finished_at is null) as waiting,
      count(*) filter (where version = ${version})::integer as same,
      count(*) filter (where version <> ${version})::integer as other
    from workers where ${workerResponds(sql)}`;
  return row ?? { waiting: 0, same: 0, other: 0 };
}
