import { and, asc, desc, eq, gte, isNull, lte, sql as text } from 'drizzle-orm';
import { discrepancies, chargebackLinks } from '../db/schema/findings.js';
import { payments } from '../db/schema/payments.js';
import { runs } from '../db/schema/runs.js';
import { settlementFiles, settlementRecords } from '../db/schema/settlements.js';
import type { Database } from '../db/connect.js';
import { formatAmount } from '../values/money.js';

/** What the listing commands show; every filter is optional, the latest or gravest stand first. */
export interface ListLimits {
  readonly limit: number;
}

export async function listRuns({ orm }: Database, filter: ListLimits & { readonly status: string | null }) {
  return orm
    .select({
      runId: runs.id,
      kind: runs.kind,
      status: runs.status,
      startedAt: runs.startedAt,
      finishedAt: runs.finishedAt,
      asOf: runs.asOf,
      from: runs.fromDate,
      to: runs.toDate,
      exitCode: runs.exitCode,
      errorCode: runs.errorCode,
      reportDirectory: runs.reportDirectory,
    })
    .from(runs)
    .where(filter.status === null ? undefined : eq(runs.status, filter.status))
    .orderBy(desc(runs.id))
    .limit(filter.limit);
}

export interface FileFilter extends ListLimits {
  readonly status: string | null;
  readonly source: string | null;
  readonly runId: number | null;
}

export async function listFiles({ orm }: Database, filter: FileFilter) {
  return orm
    .select({
      fileId: settlementFiles.id,
      source: settlementFiles.source,
      name: settlementFiles.name,
      sha256: settlementFiles.sha256,
      status: settlementFiles.status,
      receivedAt: settlementFiles.receivedAt,
      runId: settlementFiles.settledRunId,
      total: settlementFiles.rowsTotal,
      accepted: settlementFiles.rowsAccepted,
      rejected: settlementFiles.rowsRejected,
      alreadyKnown: settlementFiles.rowsAlreadyKnown,
      from: settlementFiles.firstSettlementDate,
      to: settlementFiles.lastSettlementDate,
      errorCode: settlementFiles.errorCode,
      errorMessage: settlementFiles.errorMessage,
    })
    .from(settlementFiles)
    .where(
      and(
        filter.status === null ? undefined : eq(settlementFiles.status, filter.status),
        filter.source === null ? undefined : eq(settlementFiles.source, filter.source),
        filter.runId === null ? undefined : eq(settlementFiles.settledRunId, filter.runId),
      ),
    )
    .orderBy(desc(settlementFiles.id))
    .limit(filter.limit);
}

export interface DiscrepancyFilter extends ListLimits {
  readonly code: string | null;
  readonly severity: string | null;
  /** SettlementDate of the record, or the payment's own day. */
  readonly range: { readonly from: string; readonly to: string } | null;
  readonly withResolved: boolean;
}

export async function listDiscrepancies({ orm }: Database, filter: DiscrepancyFilter) {
  const day = text<string>`coalesce(${settlementRecords.settlementDate}, (${payments.requestedAt} at time zone 'UTC')::date)`;
  const rows = await orm
    .select({
      discrepancyId: discrepancies.id,
      code: discrepancies.code,
      severity: discrepancies.severity,
      file: settlementFiles.name,
      line: discrepancies.line,
      date: day,
      paymentId: payments.id,
      chargebackId: chargebackLinks.chargebackId,
      expected: discrepancies.expected,
      actual: discrepancies.actual,
      differenceMinor: discrepancies.differenceMinor,
      message: discrepancies.message,
      firstSeenRun: discrepancies.firstSeenRun,
      resolvedRun: discrepancies.resolvedRun,
    })
    .from(discrepancies)
    .leftJoin(
      settlementRecords,
      and(eq(settlementRecords.fileId, discrepancies.fileId), eq(settlementRecords.line, discrepancies.line)),
    )
    .leftJoin(settlementFiles, eq(settlementFiles.id, discrepancies.fileId))
    .leftJoin(payments, eq(payments.key, discrepancies.paymentKey))
    .leftJoin(
      chargebackLinks,
      and(eq(chargebackLinks.fileId, discrepancies.fileId), eq(chargebackLinks.line, discrepancies.line)),
    )
    .where(
      and(
        filter.withResolved ? undefined : isNull(discrepancies.resolvedRun),
        filter.code === null ? undefined : eq(discrepancies.code, filter.code),
        filter.severity === null ? undefined : eq(discrepancies.severity, filter.severity),
        filter.range === null ? undefined : and(gte(day, filter.range.from), lte(day, filter.range.to)),
      ),
    )
    .orderBy(
      text`array_position(array['error', 'warning', 'info'], ${discrepancies.severity}::text)`,
      asc(discrepancies.code),
      desc(day),
      asc(discrepancies.id),
    )
    .limit(filter.limit);
  return rows.map(({ differenceMinor, ...row }) => ({
    ...row,
    difference: differenceMinor === null ? null : formatAmount(differenceMinor),
  }));
}
