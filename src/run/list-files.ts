import { and, count, desc, eq } from 'drizzle-orm';
import type { Database } from '../db/connect.js';
import { settlementFiles } from '../db/schema/settlements.js';
import { isoMoment } from './iso-moment.js';

export const fileStatuses = ['received', 'loaded', 'rejected', 'failed', 'retired'] as const;
export type FileStatus = (typeof fileStatuses)[number];

export interface FileFilter {
  readonly status: FileStatus | null;
  readonly source: string | null;
  /** The run that loaded or rejected the file. */
  readonly runId: number | null;
  readonly limit: number;
}

/** The settlement files, the latest first, and how many there are without the limit. */
export async function listFiles({ orm }: Database, filter: FileFilter) {
  const wanted = and(
    filter.status === null ? undefined : eq(settlementFiles.status, filter.status),
    filter.source === null ? undefined : eq(settlementFiles.source, filter.source),
    filter.runId === null ? undefined : eq(settlementFiles.settledRunId, filter.runId),
  );
  const rows = await orm
    .select({
      fileId: settlementFiles.id,
      source: settlementFiles.source,
      name: settlementFiles.name,
      sha256: settlementFiles.sha256,
      sizeBytes: settlementFiles.sizeBytes,
      status: settlementFiles.status,
      receivedAt: settlementFiles.receivedAt,
      runId: settlementFiles.settledRunId,
      total: settlementFiles.rowsTotal,
      accepted: settlementFiles.rowsAccepted,
      rejected: settlementFiles.rowsRejected,
      alreadyKnown: settlementFiles.rowsAlreadyKnown,
      firstSettlementDate: settlementFiles.firstSettlementDate,
      lastSettlementDate: settlementFiles.lastSettlementDate,
      errorCode: settlementFiles.errorCode,
      errorMessage: settlementFiles.errorMessage,
    })
    .from(settlementFiles)
    .where(wanted)
    .orderBy(desc(settlementFiles.id))
    .limit(filter.limit);
  const [counted] = await orm.select({ total: count() }).from(settlementFiles).where(wanted);
  return {
    total: counted?.total ?? 0,
    rows: rows.map(({ total, accepted, rejected, alreadyKnown, errorCode, errorMessage, ...file }) => ({
      ...file,
      receivedAt: isoMoment(file.receivedAt),
      rows: { total, accepted, rejected, alreadyKnown },
      error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    })),
  };
}
