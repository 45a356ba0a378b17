import type { Sql, Tx } from '../../db/client.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import type { RunId } from '../../values/ids.js';
import type { ReceivedBytes } from '../fetch/receive-file.js';
import { claimChannel } from './file-claim.js';
import { runResponds, workerResponds } from './who-responds.js';

/** A worker's permission to download a file. Whoever claims the file later has a higher attempt. */
export interface DownloadClaim {
  readonly runId: RunId;
  readonly place: number;
  readonly owner: string;
  readonly attempt: number;
}

/** A download that a worker claimed, with what the run decided about it. */
export interface ClaimedDownload {
  readonly claim: DownloadClaim;
  /** See `sharedSource`. */
  readonly source: string;
  /** As the run listed it. */
  readonly file: RemoteFile;
  readonly maximumSizeBytes: number;
  readonly minimumAgeMs: number;
  /** What the clock of the run shows now: the clock of a worker may be wrong. */
  readonly runClockMs: number;
  readonly leaseSeconds: number;
}

interface ClaimedRow {
  place: number;
  attempt: number;
  source: string;
  name: string;
  path: string;
  size_bytes: bigint | null;
  modified_at_ms: bigint | null;
  is_regular: boolean | null;
  maximum_size_bytes: bigint;
  minimum_age_ms: bigint;
  run_clock_ms: bigint;
  lease_seconds: number;
}

/**
 * Claims the first file of these sources that nobody downloads, unless as many are downloaded as its source allows.
 *
 * @returns null when there is none for this worker
 */
export async function claimNextDownload(
  tx: Tx,
  runId: RunId,
  owner: string,
  sources: readonly string[],
): Promise<ClaimedDownload | null> {
  const [row] = await tx<ClaimedRow[]>`
    with next as (
      select d.place from file_downloads d join runs r on r.id = d.run_id
      where d.run_id = ${runId} and ${runResponds(tx)}
        and d.finished_at is null and (d.owner is null or d.lease_until < clock_timestamp())
        and d.source in ${tx([...sources])} and ${owner}::text <> all (d.declined_by)
        and d.at_once > (select count(*) from file_downloads b where b.run_id = d.run_id and b.source = d.source
          and b.finished_at is null and b.lease_until >= clock_timestamp())
      order by d.place limit 1 for update of d skip locked
    )
    update file_downloads d set owner = ${owner}, attempt = attempt + 1,
      lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
    from next where d.run_id = ${runId} and d.place = next.place
    returning d.place, d.attempt, d.source, d.name, d.path, d.size_bytes, d.modified_at_ms, d.is_regular,
      d.maximum_size_bytes, d.minimum_age_ms, d.lease_seconds,
      d.run_clock_ms + round(extract(epoch from clock_timestamp() - d.offered_at) * 1000)::bigint as run_clock_ms`;
  if (row === undefined) return null;
  return {
    claim: { runId, place: row.place, owner, attempt: row.attempt },
    source: row.source,
    file: {
      name: row.name,
      path: row.path,
      sizeBytes: row.size_bytes === null ? null : Number(row.size_bytes),
      modifiedAtMs: row.modified_at_ms === null ? null : Number(row.modified_at_ms),
      isRegular: row.is_regular,
    },
    maximumSizeBytes: Number(row.maximum_size_bytes),
    minimumAgeMs: Number(row.minimum_age_ms),
    runClockMs: Number(row.run_clock_ms),
    leaseSeconds: row.lease_seconds,
  };
}

/** Reports what arrived. False when somebody else has the file now, or the run takes no more files. */
export async function finishDownload(
  tx: Tx,
  claim: DownloadClaim,
  { sha256, sizeBytes, modifiedAtMs, stable }: ReceivedBytes,
): Promise<boolean> {
  const finished = await tx`
    update file_downloads set finished_at = clock_timestamp(), sha256 = ${sha256}, received_bytes = ${sizeBytes},
      received_modified_at_ms = ${modifiedAtMs}, stable = ${stable}
    where run_id = ${claim.runId} and place = ${claim.place} and attempt = ${claim.attempt}
      and owner = ${claim.owner} and finished_at is null`;
  return finished.count > 0;
}

/**
 * Lets somebody else download the file at once, unless somebody else has it already.
 *
 * @param options.declines whether this owner could not download it, and does not get it again
 */
export async function handBackDownload(
  tx: Tx,
  claim: DownloadClaim,
  { declines }: { readonly declines: boolean },
): Promise<void> {
  await tx`
    update file_downloads set owner = null, lease_until = null,
      declined_by = case when ${declines} then array_append(declined_by, ${claim.owner}::text) else declined_by end
    where run_id = ${claim.runId} and place = ${claim.place} and attempt = ${claim.attempt}
      and owner = ${claim.owner} and finished_at is null`;
  await tx`select pg_notify(${claimChannel}, '')`;
}

/** Extends the leases of an owner. */
export async function renewDownloads(tx: Tx, runId: RunId, owner: string): Promise<void> {
  await tx`
    update file_downloads set lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
    where run_id = ${runId} and owner = ${owner} and finished_at is null`;
}

/** Whether a worker of this release downloads from this source. */
export async function hasDownloaders(sql: Sql, version: string, source: string): Promise<boolean> {
  const rows = await sql`
    select from workers where version = ${version} and ${source} = any (sources) and archive_problem is null
      and ${workerResponds(sql)} limit 1`;
  return rows.count > 0;
}
