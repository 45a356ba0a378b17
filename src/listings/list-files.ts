import type { Tx } from '../db/client.js';
import { latestWithdrawals } from '../db/run-scope.js';
import type { FileRows } from '../outcome.js';
import { isoMoment } from '../values/iso-moment.js';
import { listSource, type ListSource } from './listing.js';
import type { FileId, RunId } from '../values/ids.js';

/** The words of {@link FileStatus}, as `recon files --status` takes them. */
export const fileStatuses = ['received', 'loaded', 'rejected', 'retired', 'withdrawn'] as const;
/** What has become of a settlement file: see {@link ListedFile.status}. */
export type FileStatus = (typeof fileStatuses)[number];

/** Which settlement files to list; null: whatever their value. */
export interface FileFilter {
  readonly status: FileStatus | null;
  readonly source: string | null;
  /** The run that loaded or rejected the file. */
  readonly runId: RunId | null;
}

/** Who withdrew a file, when and why. */
export interface ListedWithdrawal {
  /** The author of the decision. */
  readonly by: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** What the author wrote, with card numbers masked. */
  readonly reason: string;
}

/** A settlement file as `recon files --json` lists it. */
export interface ListedFile {
  /** A number; later files have higher ones. */
  readonly fileId: FileId;
  /** The source that delivered it. */
  readonly source: string;
  /** As it was called at the source. */
  readonly name: string;
  /** Of its bytes, as hexadecimal digits: what identifies it (design 4.3). */
  readonly sha256: string;
  /** Unpacked, and before the archive encrypts it. */
  readonly sizeBytes: number;
  /**
   * `received` is not loaded yet; the bytes of `rejected` are kept; the records of `retired` were removed by
   * `retention`.
   */
  readonly status: FileStatus;
  /** ISO 8601 in UTC. */
  readonly receivedAt: string;
  /** The run that loaded or rejected it last, or the run that was asked for; null before. */
  readonly runId: RunId | null;
  /** Both null without an accepted row. */
  readonly firstSettlementDate: string | null;
  /** `yyyy-MM-dd`, as `firstSettlementDate`. */
  readonly lastSettlementDate: string | null;
  /** Null before it is loaded or rejected. */
  readonly rows: { readonly [Count in keyof FileRows]: number | null };
  /** Why that run rejected it. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** When retention removed its bytes from the archive; ISO 8601 in UTC. */
  readonly archiveRemovedAt: string | null;
  /** Of a file with status `withdrawn`; a run then counts none of its records. */
  readonly withdrawal: ListedWithdrawal | null;
}

interface StoredFile extends Omit<ListedFile, 'sizeBytes' | 'rows' | 'error' | 'withdrawal'> {
  sizeBytes: bigint;
  total: number | null;
  accepted: number | null;
  rejected: number | null;
  alreadyKnown: number | null;
  errorCode: string | null;
  errorMessage: string | null;
  withdrawnBy: string | null;
  withdrawnAt: string | null;
  withdrawnWhy: string | null;
}

/**
 * The settlement files, the latest first; those of a run as that run left them. A later run may have finished a file
 * that it rejected, and the row of the file then has only what became of it last.
 */
export function fileList(filter: FileFilter): ListSource<ListedFile> {
  return listSource<StoredFile, ListedFile>((tx) => {
    const wanted = tx`from (${filter.runId === null ? allFiles(tx) : filesOfRun(tx, filter.runId)}) f
    where true
    ${filter.status === null ? tx`` : tx`and shown_status = ${filter.status}`}
    ${filter.source === null ? tx`` : tx`and source = ${filter.source}`}`;
    return {
      rows: tx`
    select id as "fileId", source, name, sha256, size_bytes as "sizeBytes", shown_status as status,
      received_at as "receivedAt", finished_run_id as "runId",
      first_settlement_date as "firstSettlementDate", last_settlement_date as "lastSettlementDate",
      rows_total as total, rows_accepted as accepted, rows_rejected as rejected,
      rows_already_known as "alreadyKnown", error_code as "errorCode", error_message as "errorMessage",
      archive_removed_at as "archiveRemovedAt",
      author as "withdrawnBy", decided_at as "withdrawnAt", reason as "withdrawnWhy"
    ${wanted} order by id desc`,
      total: tx`select count(*)::integer as total ${wanted}`,
    };
  }, toListedFile);
}

function allFiles(tx: Tx) {
  return tx`
    select f.*, w.author, w.decided_at, w.reason,
      case when f.status in ('loaded', 'rejected') and w.file_id is not null then 'withdrawn' else f.status end
        as shown_status
    from settlement_files f left join (${latestWithdrawals(tx)}) w on w.file_id = f.id and w.kind = 'withdraw'`;
}

/** The files that a run finished last, and those of its outcome that a later run finished, as they were then. */
function filesOfRun(tx: Tx, runId: RunId) {
  return tx`
    select f.id, f.source, f.name, f.sha256, f.size_bytes, f.received_at, ${runId}::integer as finished_run_id,
      f.first_settlement_date, f.last_settlement_date, f.archive_removed_at, f.author, f.decided_at, f.reason,
      coalesce((o.rows ->> 'total')::integer, f.rows_total) as rows_total,
      coalesce((o.rows ->> 'accepted')::integer, f.rows_accepted) as rows_accepted,
      coalesce((o.rows ->> 'rejected')::integer, f.rows_rejected) as rows_rejected,
      coalesce((o.rows ->> 'alreadyKnown')::integer, f.rows_already_known) as rows_already_known,
      case when o.status is null then f.error_code else o.error ->> 'code' end as error_code,
      case when o.status is null then f.error_message else o.error ->> 'message' end as error_message,
      case when o.status = 'rejected' then o.status else f.shown_status end as shown_status
    from (${allFiles(tx)}) f
    left join (
      select distinct on (g.sha256) g.*
      from runs, jsonb_to_recordset(outcome -> 'files') as g(sha256 text, status text, rows jsonb, error jsonb)
      where runs.id = ${runId} and g.status in ('loaded', 'rejected')
      order by g.sha256, g.status) o on o.sha256 = f.sha256 and f.finished_run_id <> ${runId}
    where f.finished_run_id = ${runId} or o.sha256 is not null`;
}

function toListedFile({
  total,
  accepted,
  rejected,
  alreadyKnown,
  errorCode,
  errorMessage,
  withdrawnBy,
  withdrawnAt,
  withdrawnWhy,
  ...file
}: StoredFile): ListedFile {
  return {
    ...file,
    sizeBytes: Number(file.sizeBytes),
    receivedAt: isoMoment(file.receivedAt),
    archiveRemovedAt: isoMoment(file.archiveRemovedAt),
    rows: { total, accepted, rejected, alreadyKnown },
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    withdrawal:
      withdrawnBy === null || withdrawnAt === null || file.status !== 'withdrawn'
        ? null
        : { by: withdrawnBy, at: isoMoment(withdrawnAt), reason: withdrawnWhy ?? '' },
  };
}
