import path from 'node:path';
import type { Transact } from '../db/fence.js';
import { readShards } from '../db/shards/enter-shards.js';
import { isDivided } from '../db/shards/is-divided.js';
import { inOwnTransaction } from '../db/transaction.js';
import { removedRowsNotices } from '../reporting/notices.js';
import { publishReports } from '../reporting/publish-reports.js';
import type { RunScope } from '../db/run-scope.js';
import { ReconError } from '../errors.js';
import { closedItems } from '../items/closed-items.js';
import { countItems } from '../items/count-items.js';
import { readItemTexts } from '../items/list-items.js';
import type { CompletedRun, UnreportedOutcome } from '../outcome.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';
import { deliverAfter, requestDeliveries } from './deliver-reports.js';
import { noResults } from './no-results.js';
import { refuseRemoved } from './refuse-removed.js';
import { rangeFolderName, reportFolderName } from './report-folder-name.js';
import { dueSettings, type RunContext } from './run-context.js';
import { countResults } from '../reporting/count-results.js';
import { runId, type RunId } from '../values/ids.js';

/** What to report on again: a run (null: the latest completed one), or a range of settlement dates. */
export type ReportRequest =
  | { readonly runId: RunId | null }
  /** Ages and waits are those of the day `asOf` (null: today); a run has its own day. */
  | { readonly from: CalendarDate; readonly to: CalendarDate; readonly asOf: CalendarDate | null };

interface StoredRun {
  id: RunId;
  kind: 'run' | 'rerun';
  as_of: string;
  from_date: string | null;
  to_date: string | null;
  /** A run of an older version stored nothing about expected deliveries. */
  outcome: Omit<CompletedRun, 'expected'> & Partial<Pick<CompletedRun, 'expected'>>;
}

/**
 * Writes reports again from the stored data, with the current findings, and delivers them. It does not match and
 * changes no findings, so it needs no lock: it reads one snapshot.
 *
 * @throws ReconError RUN_NOT_FOUND when there is no such completed run, RECORDS_RETIRED, ARCHIVE_REMOVED
 */
export async function writeReports(context: RunContext, request: ReportRequest): Promise<CompletedRun> {
  const due = dueSettings(context);
  const { scope, folderName, heading } = await whatToReport(context, request);
  await refuseRemoved(context, scope);
  const isOnShards = await isDivided(context.database.sql);
  const transact: Transact = (work) =>
    inOwnTransaction(
      context.database.sql,
      async (tx) => {
        if (isOnShards) await readShards(tx);
        return work(tx);
      },
      // What is sent to a shard is a write for the home server.
      `isolation level repeatable read${isOnShards ? '' : ' read only'}`,
    );
  const view = { ...due, asOf: scope.asOf };
  const counts = await transact(async (tx) => ({
    ...(await countResults(tx, scope)),
    items: await countItems(tx, view, heading.runId),
  }));
  const { notices: _ofThen, ...asRun } = heading;
  const removed = scope.kind === 'run' ? await transact((tx) => removedRowsNotices(tx, scope)) : [];
  const notices = [...(counts.notices ?? []), ...removed];
  const outcome = { ...asRun, asOf: scope.asOf, ...counts, ...(notices.length === 0 ? {} : { notices }) };
  const published = await publishReports(transact, {
    scope,
    due,
    folderName,
    reportsDirectory: path.join(context.dataDirectory, 'reports'),
    fileMode: context.reportFileMode,
    format: context.reportFormat,
    archive: context.archive,
    outcome,
    openItems: (tx) => readItemTexts(tx, view),
    closedItems: (tx) => closedItems(tx, view, heading.runId),
    signal: context.signal,
    progress: context.progress,
    sql: context.database.sql,
    threadStarted: context.threadStarted,
  });
  await requestDeliveries(context.database.sql, context, published.reports);
  return deliverAfter(context, { ...outcome, ...published });
}

async function whatToReport(
  context: RunContext,
  request: ReportRequest,
): Promise<{ scope: RunScope; folderName: string; heading: UnreportedOutcome }> {
  if ('from' in request) {
    const asOf = request.asOf ?? dateInZone(context.clock(), context.timezone);
    const scope = { kind: 'range', from: request.from, to: request.to, asOf } as const;
    return { scope, folderName: rangeFolderName(request.from, request.to), heading: emptyHeading };
  }
  const run = await findRun(context, request.runId);
  const scope: RunScope =
    run.from_date === null || run.to_date === null
      ? { kind: 'run', runId: run.id, asOf: run.as_of }
      : { kind: 'range', from: run.from_date, to: run.to_date, asOf: run.as_of };
  const heading = { ...run.outcome, expected: run.outcome.expected ?? [] };
  return { scope, folderName: reportFolderName(run.id), heading };
}

async function findRun(context: RunContext, runId: RunId | null): Promise<StoredRun> {
  const { sql } = context.database;
  const [run] = await sql<StoredRun[]>`
    select id, kind, as_of, from_date, to_date, outcome from runs
    where status = 'completed' ${runId === null ? sql`` : sql`and id = ${runId}`}
    order by id desc limit 1`;
  if (run === undefined) {
    throw new ReconError(
      'RUN_NOT_FOUND',
      runId === null ? 'No run has been completed yet.' : `There is no completed run ${runId}.`,
    );
  }
  return run;
}

/** Reporting on a range is not a run, so it uses run id 0. */
const emptyHeading: UnreportedOutcome = {
  runId: runId(0),
  kind: 'rerun',
  asOf: '',
  status: 'completed',
  exitCode: 0,
  error: null,
  ...noResults,
};
