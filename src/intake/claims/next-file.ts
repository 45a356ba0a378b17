import type { Sql, Tx } from '../../db/client.js';
import type { RunId } from '../../values/ids.js';
import { toRegisteredFile, type FileRow, type RegisteredFile } from '../register-file.js';
import type { FileClaim } from './file-claim.js';
import { runResponds } from './who-responds.js';

/** A file that a worker claimed, with what the run decided about it. */
export interface ClaimedFile {
  readonly claim: FileClaim;
  readonly file: RegisteredFile;
  readonly timezone: string;
  readonly maxRejectedShare: number;
  readonly leaseSeconds: number;
}

interface ClaimRow extends FileRow {
  place: number;
  attempt: number;
  timezone: string;
  max_rejected_share: number;
  lease_seconds: number;
}

/**
 * Claims the first file of a run that nobody loads, or whose owner let its lease end.
 *
 * @returns null when there is none for this worker
 */
export async function claimNextFile(tx: Tx, runId: RunId, owner: string): Promise<ClaimedFile | null> {
  const [row] = await tx<ClaimRow[]>`
    with next as (
      select c.place from file_claims c join runs r on r.id = c.run_id
      where c.run_id = ${runId} and ${runResponds(tx)}
        and c.finished_at is null and (c.owner is null or c.lease_until < clock_timestamp())
        and ${owner}::text <> all (c.declined_by)
        -- The same bytes may be offered twice.
        and not exists (select from file_claims e where e.run_id = c.run_id and e.file_id = c.file_id
          and e.place < c.place and e.finished_at is null)
      order by c.place limit 1 for update of c skip locked
    ), claimed as (
      update file_claims c set owner = ${owner}, attempt = attempt + 1, claimed_at = clock_timestamp(),
        lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
      from next where c.run_id = ${runId} and c.place = next.place
      returning c.*
    )
    select c.place, c.attempt, c.timezone, c.max_rejected_share, c.lease_seconds, f.id, f.source, f.name, f.sha256,
      f.size_bytes, f.status, f.error_code, f.totals_name, f.totals_sha256, f.archive_removed_at,
      -- A withdrawn file is not offered.
      false as is_withdrawn
    from claimed c join settlement_files f on f.id = c.file_id`;
  if (row === undefined) return null;
  const file = toRegisteredFile(row);
  return {
    claim: { runId, place: row.place, fileId: file.id, owner, attempt: row.attempt },
    file,
    timezone: row.timezone,
    maxRejectedShare: row.max_rejected_share,
    leaseSeconds: row.lease_seconds,
  };
}

/** The place of a claimed file among those before it. */
export type PlaceInQueue = 'waits' | 'has come' | 'is lost';

/** Whether every file before this one is finished. The claim is lost if somebody else has the file or the run ended. */
export async function placeInQueue(sql: Sql, claim: FileClaim): Promise<PlaceInQueue> {
  const [row] = await sql<{ waits: boolean }[]>`
    select exists (select from file_claims e where e.run_id = c.run_id and e.place < c.place
        and e.finished_at is null) as waits
    from file_claims c join runs r on r.id = c.run_id
    where c.run_id = ${claim.runId} and c.place = ${claim.place} and c.attempt = ${claim.attempt}
      and c.owner = ${claim.owner} and ${runResponds(sql)}`;
  return row === undefined ? 'is lost' : row.waits ? 'waits' : 'has come';
}
