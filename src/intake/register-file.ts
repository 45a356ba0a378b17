import type { Tx } from '../db/client.js';
import { nextFileId } from '../db/parts/record-parts.js';
import { withdrawnRejectedFiles } from '../db/run-scope.js';
import type { ErrorCode } from '../errors.js';
import type { ReceivedSidecar } from './fetch/fetch-sidecar.js';
import type { FileSeen, KnownRemoteFile } from './fetch/fetched-file.js';
import type { FileId, RunId } from '../values/ids.js';

/** Bytes that are stored in the archive. */
export interface ArchivedBytes {
  readonly source: string;
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly receivedAtMs: number;
  /** The sidecar that came with it. */
  readonly sidecar: ReceivedSidecar | null;
}

/** The state of a row of `settlement_files`. A withdrawn file is loaded or rejected, and lists show it as withdrawn. */
export type StoredFileStatus = 'received' | 'loaded' | 'rejected' | 'retired';

/** A row of `settlement_files` as the run needs it. */
export interface RegisteredFile {
  readonly id: FileId;
  readonly source: string;
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly status: StoredFileStatus;
  /** Why it was rejected. */
  readonly errorCode: string | null;
  /** The sidecar that announces its totals. */
  readonly sidecar: ReceivedSidecar | null;
  /** Retention removed its bytes from the archive. They are there again if the file was received again. */
  readonly isRemoved: boolean;
  /** A person withdrew it. */
  readonly isWithdrawn: boolean;
}

/** The columns of a {@link FileRow}. */
export const fileColumns = (tx: Tx) =>
  tx`id, source, name, sha256, size_bytes, status, error_code, totals_name, totals_sha256, archive_removed_at,
    coalesce((select w.kind = 'withdraw' from file_withdrawals w
      where w.file_id = settlement_files.id order by w.number desc limit 1), false) as is_withdrawn`;

/**
 * Whether a file is to be loaded. One that differed from its announced totals is compared again whenever it is found:
 * the sender may have corrected the totals and not the file. A withdrawn one is not.
 */
export function isToLoad({ status, errorCode, isWithdrawn }: RegisteredFile): boolean {
  return (
    status === 'received' ||
    (status === 'rejected' && errorCode === ('FILE_TOTALS_DIFFER' satisfies ErrorCode) && !isWithdrawn)
  );
}

/**
 * Finds or creates the row of a file. A file is identified by its SHA-256 (design 4.3): known bytes keep their row,
 * whatever their name and source.
 *
 * @param largeFileBytes a file of this size or more gets a separate table for its records, while there are few such
 *   tables
 */
export async function registerFile(
  tx: Tx,
  runId: RunId,
  bytes: ArchivedBytes,
  largeFileBytes: number,
): Promise<RegisteredFile> {
  const known = await findFile(tx, bytes.sha256);
  if (known !== undefined)
    return isToLoad(known) ? withSidecar(tx, known, bytes.sidecar ?? known.sidecar) : known;
  const receivedAt = new Date(bytes.receivedAtMs).toISOString();
  const id = await nextFileId(tx, {
    timesLarge: bytes.sizeBytes / largeFileBytes,
    month: `${receivedAt.slice(0, 7)}-01`,
  });
  await tx`
    insert into settlement_files (id, sha256, source, name, size_bytes, status, received_at, received_run_id,
      totals_name, totals_sha256)
    values (${id}, ${bytes.sha256}, ${bytes.source}, ${bytes.name}, ${bytes.sizeBytes}, 'received', ${receivedAt},
      ${runId}, ${bytes.sidecar?.name ?? null}, ${bytes.sidecar?.sha256 ?? null})`;
  return {
    id,
    status: 'received',
    source: bytes.source,
    name: bytes.name,
    sha256: bytes.sha256,
    sizeBytes: bytes.sizeBytes,
    errorCode: null,
    sidecar: bytes.sidecar,
    isRemoved: false,
    isWithdrawn: false,
  };
}

/** The totals that came last count, even when the file itself comes again without any. */
async function withSidecar(
  tx: Tx,
  file: RegisteredFile,
  sidecar: ReceivedSidecar | null,
): Promise<RegisteredFile> {
  await tx`
    update settlement_files set totals_name = ${sidecar?.name ?? null}, totals_sha256 = ${sidecar?.sha256 ?? null}
    where id = ${file.id}`;
  return { ...file, sidecar };
}

/** Which of these stored names of sidecars came with a file of this source. */
export async function storedTotals(
  tx: Tx,
  source: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const stored = await tx<{ name: string }[]>`
    select distinct totals_name as name from settlement_files
    where source = ${source} and totals_name = any (${[...names]}::text[])`;
  return new Set(stored.map(({ name }) => name));
}

/** The file with these bytes, if it was ever received. */
async function findFile(tx: Tx, sha256: string): Promise<RegisteredFile | undefined> {
  const [row] = await tx<FileRow[]>`
    select ${fileColumns(tx)} from settlement_files where sha256 = ${sha256}`;
  return row === undefined ? undefined : toRegisteredFile(row);
}

/** The columns of {@link fileColumns}. */
export interface FileRow {
  id: FileId;
  source: string;
  name: string;
  sha256: string;
  size_bytes: bigint;
  status: StoredFileStatus;
  error_code: string | null;
  totals_name: string | null;
  totals_sha256: string | null;
  archive_removed_at: string | null;
  is_withdrawn: boolean;
}

/** The file of a row of `settlement_files`. */
export function toRegisteredFile(row: FileRow): RegisteredFile {
  return {
    id: row.id,
    source: row.source,
    name: row.name,
    sha256: row.sha256,
    sizeBytes: Number(row.size_bytes),
    status: row.status,
    errorCode: row.error_code,
    sidecar:
      row.totals_name === null || row.totals_sha256 === null
        ? null
        : { name: row.totals_name, sha256: row.totals_sha256 },
    isRemoved: row.archive_removed_at !== null,
    isWithdrawn: row.is_withdrawn,
  };
}

/** The remote file that has these bytes, so that the next listing alone identifies it. */
export interface RemoteSighting {
  readonly source: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly sha256: string;
}

/** Stores which bytes the remote file has, in place of what was stored about its path. */
export async function rememberRemoteFile(tx: Tx, sighting: RemoteSighting): Promise<void> {
  await tx`
    insert into remote_files (source, path, size_bytes, modified_at_ms, sha256)
    values (${sighting.source}, ${sighting.path}, ${sighting.sizeBytes}, ${sighting.modifiedAtMs}, ${sighting.sha256})
    on conflict (source, path) do update set size_bytes = excluded.size_bytes,
      modified_at_ms = excluded.modified_at_ms, sha256 = excluded.sha256
    where (remote_files.size_bytes, remote_files.modified_at_ms, remote_files.sha256)
      is distinct from (excluded.size_bytes, excluded.modified_at_ms, excluded.sha256)`;
}

/** Which of these remote files are known with the same size and time, by path. */
export async function knownRemoteFiles(
  tx: Tx,
  source: string,
  files: readonly FileSeen[],
): Promise<ReadonlyMap<string, KnownRemoteFile>> {
  const rows = await tx<{ path: string; sha256: string; rejected_for: string | null; is_loaded: boolean }[]>`
    select r.path, r.sha256,
      case when bool_and(f.status = 'rejected') then min(f.error_code) end as rejected_for,
      bool_and(f.error_code is null) as is_loaded
    from unnest(${files.map(({ path }) => path)}::text[], ${files.map(({ sizeBytes }) => sizeBytes)}::bigint[],
        ${files.map(({ modifiedAtMs }) => modifiedAtMs)}::bigint[]) as seen (path, size_bytes, modified_at_ms)
      join remote_files r on r.source = ${source} and r.path = seen.path and r.size_bytes = seen.size_bytes
        and r.modified_at_ms = seen.modified_at_ms
      left join packed_files p on p.packed_sha256 = r.sha256
      left join settlement_files f on f.sha256 = coalesce(p.sha256, r.sha256)
    group by r.path, r.sha256
    -- What is inside a packed file beside the settlement files (their totals) has no row there.
    having count(f.id) > 0 and bool_and(f.id is null or f.status in ('loaded', 'rejected', 'retired')
      and (f.error_code is distinct from 'FILE_TOTALS_DIFFER' or f.id in (${withdrawnRejectedFiles(tx)})))`;
  return new Map(
    rows.map(({ path, sha256, rejected_for: rejectedFor, is_loaded: isLoaded }) => [
      path,
      { sha256, rejectedFor, isLoaded },
    ]),
  );
}
