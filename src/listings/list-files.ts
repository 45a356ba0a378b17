import type { Sql } from '../db/client.js';
import type { FileRows } from '../outcome.js';
import { isoMoment } from '../values/iso-moment.js';
import type { Listing } from './list-runs.js';
import type { FileId, RunId } from '../values/ids.js';

export const fileStatuses = ['received', 'loaded', 'rejected', 'failed', 'retired'] as const;
export type FileStatus = (typeof fileStatuses)[number];

export interface FileFilter {
  readonly status: FileStatus | null;
  readonly source: string | null;
  /** The run that loaded or rejected the file. */
  readonly runId: RunId | null;
  readonly limit: number;
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
  readonly runId: RunId | null;
  readonly firstSettlementDate: string | null;
  readonly lastSettlementDate: string | null;
  readonly rows: { readonly [Count in keyof FileRows]: number | null };
  readonly error: { readonly code: string; readonly message: string } | null;
}

interface StoredFile extends Omit<ListedFile, 'sizeBytes' | 'rows' | 'error'> {
  sizeBytes: bigint;
  total: number | null;
  accepted: number | null;
  rejected: number | null;
  alreadyKnown: number | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/** The settlement files, the latest first. */
export async function listFiles(sql: Sql, filter: FileFilter): Promise<Listing<ListedFile>> {
  const wanted = sql`where true
    ${filter.status === null ? sql`` : sql`and status = ${filter.status}`}
    ${filter.source === null ? sql`` : sql`and source = ${filter.source}`}
    ${filter.runId === null ? sql`` : sql`and settled_run_id = ${filter.runId}`}`;
  const rows = await sql<StoredFile[]>`
    select id as "fileId", source, name, sha256, size_bytes as "sizeBytes", status,
      received_at as "receivedAt", settled_run_id as "runId",
      first_settlement_date as "firstSettlementDate", last_settlement_date as "lastSettlementDate",
      rows_total as total, rows_accepted as accepted, rows_rejected as rejected,
      rows_already_known as "alreadyKnown", error_code as "errorCode", error_message as "errorMessage"
    from settlement_files ${wanted} order by id desc limit ${filter.limit}`;
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::integer as total from settlement_files ${wanted}`;
  return {
    total: counted?.total ?? 0,
    rows: rows.map(({ total, accepted, rejected, alreadyKnown, errorCode, errorMessage, ...file }) => ({
      ...file,
      sizeBytes: Number(file.sizeBytes),
      receivedAt: isoMoment(file.receivedAt),
      rows: { total, accepted, rejected, alreadyKnown },
      error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    })),
  };
}
