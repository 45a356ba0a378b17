import type { Tx } from '../../db/client.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import type { RunId } from '../../values/ids.js';
import type { ReceivedBytes } from '../fetch/receive-file.js';
import { claimChannel } from './file-claim.js';

/** A remote file that a run lets its workers download. */
export interface OfferedDownload {
  /** Its number among the downloads that the run has offered. */
  readonly place: number;
  /** See `sharedSource`. */
  readonly source: string;
  /** How many files of the source may be downloaded at the same time, by the run and its workers together. */
  readonly atOnce: number;
  /** As the run listed it. */
  readonly file: RemoteFile;
  readonly maximumSizeBytes: number;
  readonly minimumAgeMs: number;
  /** What the clock of the run showed when it offered the file, in milliseconds since the epoch. */
  readonly runClockMs: number;
}

/** Offers downloads of a run to the workers, and wakes the workers. */
export async function offerDownloads(
  tx: Tx,
  runId: RunId,
  leaseSeconds: number,
  offers: readonly OfferedDownload[],
): Promise<void> {
  for (const { place, source, atOnce, file, ...rest } of offers) {
    await tx`
      insert into file_downloads (run_id, place, source, at_once, name, path, size_bytes, modified_at_ms, is_regular,
        maximum_size_bytes, minimum_age_ms, lease_seconds, run_clock_ms, offered_at)
      values (${runId}, ${place}, ${source}, ${atOnce}, ${file.name}, ${file.path}, ${file.sizeBytes},
        ${file.modifiedAtMs}, ${file.isRegular}, ${rest.maximumSizeBytes}, ${rest.minimumAgeMs}, ${leaseSeconds},
        ${Math.round(rest.runClockMs)}, clock_timestamp())`;
  }
  await tx`select pg_notify(${claimChannel}, '')`;
}

/** The state of an offered download. */
export type DownloadState =
  | { readonly state: 'free' | 'taken' }
  /** The lease of its worker has ended. */
  | { readonly state: 'late' }
  | { readonly state: 'finished'; readonly received: ReceivedBytes; readonly owner: string };

interface StateRow {
  place: number;
  state: 'free' | 'taken' | 'late' | 'finished';
  owner: string | null;
  sha256: string | null;
  received_bytes: bigint | null;
  received_modified_at_ms: bigint | null;
  stable: boolean | null;
}

/** The offers with these places. One that is missing is as good as free. */
export async function readDownloads(
  tx: Tx,
  runId: RunId,
  places: readonly number[],
): Promise<Map<number, DownloadState>> {
  const rows = await tx<StateRow[]>`
    select place, owner, sha256, received_bytes, received_modified_at_ms, stable,
      case when finished_at is not null then 'finished' when owner is null then 'free'
        when lease_until < clock_timestamp() then 'late' else 'taken' end as state
    from file_downloads where run_id = ${runId} and place in ${tx([...places])}`;
  return new Map(rows.map((row) => [row.place, stateOf(row)]));
}

function stateOf(row: StateRow): DownloadState {
  const { state, owner, sha256, received_bytes: bytes, received_modified_at_ms: modifiedAtMs } = row;
  if (state !== 'finished') return { state };
  if (owner === null || sha256 === null || bytes === null) return { state: 'free' };
  const received = {
    sha256,
    sizeBytes: Number(bytes),
    modifiedAtMs: modifiedAtMs === null ? null : Number(modifiedAtMs),
    stable: row.stable === true,
  };
  return { state, received, owner };
}

/**
 * The run downloads a file that it offers. What a worker still reports about it is refused. A row that a worker holds
 * while it is suspended is not waited for: two that download the same file only do the work twice.
 */
export async function takeDownload(tx: Tx, runId: RunId, place: number, owner: string): Promise<void> {
  await tx`
    update file_downloads set owner = ${owner}, attempt = attempt + 1,
      lease_until = clock_timestamp() + make_interval(secs => lease_seconds)
    where run_id = ${runId} and place = (select place from file_downloads
      where run_id = ${runId} and place = ${place} and finished_at is null for update skip locked)`;
}

/**
 * Withdraws these offers, or all of them, including those of earlier runs. One that a worker is changing is not waited
 * for, because the worker may be suspended: it stays until the next run that shares downloads begins.
 */
export async function withdrawDownloads(
  tx: Tx,
  of?: { runId: RunId; places: readonly number[] },
): Promise<void> {
  const which = of === undefined ? tx`true` : tx`run_id = ${of.runId} and place in ${tx([...of.places])}`;
  await tx`
    delete from file_downloads where (run_id, place) in (
      select run_id, place from file_downloads where ${which} for update skip locked)`;
}
