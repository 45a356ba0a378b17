import { count, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../db/connect.js';
import { runs } from '../db/schema/runs.js';
import { isoMoment } from './iso-moment.js';

export const runStatuses = ['running', 'completed', 'failed', 'interrupted', 'abandoned'] as const;
export type RunStatus = (typeof runStatuses)[number];

export interface RunFilter {
  readonly status: RunStatus | null;
  readonly limit: number;
}

/** The runs, the latest first, and how many there are without the limit. */
export async function listRuns({ orm }: Database, filter: RunFilter) {
  const wanted = filter.status === null ? undefined : eq(runs.status, filter.status);
  const rows = await orm
    .select({
      runId: runs.id,
      kind: runs.kind,
      status: runs.status,
      asOf: runs.asOf,
      from: runs.fromDate,
      to: runs.toDate,
      scheduledFor: runs.scheduledFor,
      startedAt: runs.startedAt,
      finishedAt: runs.finishedAt,
      exitCode: runs.exitCode,
      discrepancies: sql<number | null>`(${runs.outcome} #>> '{discrepancies,total}')::int`,
      errorCode: runs.errorCode,
      errorMessage: runs.errorMessage,
      reportDirectory: runs.reportDirectory,
    })
    .from(runs)
    .where(wanted)
    .orderBy(desc(runs.id))
    .limit(filter.limit);
  const [counted] = await orm.select({ total: count() }).from(runs).where(wanted);
  return {
    total: counted?.total ?? 0,
    rows: rows.map((row) => ({
      ...row,
      scheduledFor: isoMoment(row.scheduledFor),
      startedAt: isoMoment(row.startedAt),
      finishedAt: isoMoment(row.finishedAt),
    })),
  };
}
