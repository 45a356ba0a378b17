import type { FileRows } from '../outcome.js';
import { isoMoment } from '../values/iso-moment.js';
import { listSource, type ListSource } from './listing.js';
import type { FileId, RunId } from '../values/ids.js';

/** The words of {@link FileStatus}, as `recon files --status` takes them. */
export const fileStatuses = ['received', 'loaded', 'rejected', 'retired', 'withdrawn'] as const;
/** The state of a settlement file. */
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
  readonly by: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly reason: string;
}

/** A settlement file as `recon files --json` lists it. */
export interface ListedFile {
  readonly fileId: FileId;
  readonly source: string;
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly status: FileStatus;
  /** ISO 8601 in UTC. */
  readonly receivedAt: string;
  /** The run that loaded or rejected it; null before. */
  readonly runId: RunId | null;
  /** Both null without an accepted row. */
  readonly firstSettlementDate: string | null;
  readonly lastSettlementDate: string | null;
  /** Null before it is loaded or rejected. */
  readonly rows: { readonly [Count in keyof FileRows]: number | null };
  /** Why it was rejected. */
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

/** The settlement files, the latest first. */
export function fileList(filter: FileFilter): ListSource<ListedFile> {
  return listSource<StoredFile, ListedFile>((tx) => {
    const wanted = tx`from (
    select f.*, w.author, w.decided_at, w.reason,
      case when f.status = 'loaded' and w.file_id is not null then 'withdrawn' else f.status end as shown_status
    from settlement_files f left join (
      select distinct on (file_id) file_id, kind, author, decided_at, reason from file_withdrawals
      order by file_id, number desc) w on w.file_id = f.id and w.kind = 'withdraw') f
    where true
    ${filter.status === null ? tx`` : tx`and shown_status = ${filter.status}`}
    ${filter.source === null ? tx`` : tx`and source = ${filter.source}`}
    ${filter.runId === null ? tx`` : tx`and finished_run_id = ${filter.runId}`}`;
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
