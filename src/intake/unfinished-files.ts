import type { Tx } from '../db/client.js';
import { withdrawnRejectedFiles } from '../db/run-scope.js';
import type { CalendarDate } from '../values/calendar-date.js';
import { fileColumns, toRegisteredFile, type FileRow, type RegisteredFile } from './register-file.js';
import type { FileId, RunId } from '../values/ids.js';

/**
 * Takes over files that an earlier run finished but did not report on, because it died, failed or was interrupted,
 * or because it was a re-run, which reports on its range and not on its files. They count as this run's files, so
 * the result is the same as without the interruption.
 */
export async function adoptFinishedFiles(tx: Tx, runId: RunId): Promise<RegisteredFile[]> {
  const rows = await tx<FileRow[]>`
    update settlement_files f set finished_run_id = ${runId}
    from runs r
    where r.id = f.finished_run_id and r.id <> ${runId} and f.status in ('loaded', 'rejected')
      and (r.status <> 'completed' or (r.kind <> 'run' and f.status = 'loaded'))
    returning f.id, f.source, f.name, f.sha256, f.size_bytes, f.status, f.error_code, f.totals_name, f.totals_sha256,
      f.archive_removed_at, f.id in (${withdrawnRejectedFiles(tx)}) as is_withdrawn`;
  return rows.map(toRegisteredFile).sort((a, b) => a.id - b.id);
}

/** Files whose bytes are archived but were never loaded, because a run ended in between. */
export async function receivedFiles(tx: Tx): Promise<RegisteredFile[]> {
  const rows = await tx<FileRow[]>`
    select ${fileColumns(tx)} from settlement_files
    where status = 'received' order by id`;
  return rows.map(toRegisteredFile);
}

/**
 * Files of a range that a re-run tries again from the archive (design 4.7): rejected ones whose dates, as far as they
 * could be read, overlap the range, or, when no date could be read, that arrived on a day of the range. Files that
 * could not be unpacked are left out: they would fail in the same way, and their sender must send them again. So are
 * those that a person withdrew.
 */
export async function rejectedFilesOfRange(
  tx: Tx,
  range: { readonly from: CalendarDate; readonly to: CalendarDate },
  timezone: string,
): Promise<RegisteredFile[]> {
  const rows = await tx<FileRow[]>`
    select ${fileColumns(tx)} from settlement_files
    where status = 'rejected' and error_code not like 'FILE\\_PACKED\\_%'
      and id not in (${withdrawnRejectedFiles(tx)}) and case
      when first_settlement_date is null
        then (received_at at time zone ${timezone})::date between ${range.from} and ${range.to}
      else first_settlement_date <= ${range.to} and last_settlement_date >= ${range.from} end
    order by id`;
  return rows.map(toRegisteredFile);
}

/** A file with the run that finished it, which reports on it. */
interface FileOfRun {
  readonly id: FileId;
  readonly finished_run_id: RunId;
}

/** The runs that finished these files. */
export async function runsOfFiles(tx: Tx, files: readonly RegisteredFile[]): Promise<readonly FileOfRun[]> {
  return tx<FileOfRun[]>`
    select id, finished_run_id from settlement_files where id in ${tx([0, ...files.map((file) => file.id)])}`;
}

/** Gives a file that was tried again, and is still rejected, back to the run that rejected it before. */
export async function giveBackRejected(tx: Tx, { id, finished_run_id }: FileOfRun): Promise<void> {
  await tx`update settlement_files set finished_run_id = ${finished_run_id}
    where id = ${id} and status = 'rejected' and finished_run_id <> ${finished_run_id}`;
}
