import path from 'node:path';
import type { Tx } from '../db/client.js';
import type { RunScope } from '../db/run-scope.js';
import { expectedDeliveries } from '../expected/expected-deliveries.js';
import { closedItems } from '../items/closed-items.js';
import { enterCorrections } from '../intake/corrections/enter-corrections.js';
import { countItems } from '../items/count-items.js';
import type { ItemView } from '../items/item-rows.js';
import { readItemTexts } from '../items/list-items.js';
import { noteAccepted } from '../items/note-accepted.js';
import { runMatching, type WorkBeside } from '../matching/run-matching.js';
import { countDiscrepancies } from '../reporting/count-discrepancies.js';
import { countResults } from '../reporting/count-results.js';
import { EarlyReconciledFiles, type EarlyRequest } from '../reporting/early-reconciled-files.js';
import { EarlySums } from '../reporting/early-sums.js';
import { readTotals } from '../reporting/totals/read-totals.js';
import { publishReports } from '../reporting/publish-reports.js';
import type { PublishRequest } from '../reporting/publish-request.js';
import { failPoint } from '../fail-point.js';
import type { AppliedWithdrawal, ExpectedDelivery, FileOutcome, SourceOutcome } from '../outcome.js';
import { exitCodeOf } from './exit-code.js';
import { stopIfInterrupted } from './run-interruption.js';
import type { ActiveRun, RunEnd } from './open-run.js';
import { reportFolderName } from './report-folder-name.js';
import { dueSettings, type RunContext } from './run-context.js';
import { timed } from './timed.js';
import type { CalendarDate } from '../values/calendar-date.js';

/** What a run has taken in, and which records it matches and reports on. */
interface RunInput {
  readonly scope: RunScope;
  readonly files: readonly FileOutcome[];
  readonly sources: readonly SourceOutcome[];
  /** Sentences about the sources, for a person. */
  readonly notices: readonly string[];
}

/** Parts of the report that are made while the matching keeps one core busy. */
interface EarlyParts {
  readonly early: EarlyReconciledFiles;
  readonly earlySums: EarlySums;
}

/** Matches and assesses the records in scope, then reports on them (design 2): the same for a run and a re-run. */
export async function matchAndReport(context: RunContext, run: ActiveRun, input: RunInput): Promise<RunEnd> {
  const { scope } = input;
  const destination = {
    scope,
    folderName: reportFolderName(run.id),
    reportsDirectory: path.join(context.dataDirectory, 'reports'),
    fileMode: context.reportFileMode,
    archive: run.archive,
    signal: run.signal,
  };
  const parts: EarlyParts = {
    early: new EarlyReconciledFiles(destination),
    earlySums: new EarlySums(context.database.sql, scope, acceptedRows(input.files)),
  };
  try {
    // First, because the last day of a file decides which delivery it is, and a corrected row may have a later day.
    await enterCorrectedRows(context, run, scope);
    const recent = await run.transact((tx) => expectedOf(tx, context, scope.asOf, null));
    const expected =
      scope.kind === 'run' ? recent : await run.transact((tx) => expectedOf(tx, context, scope.asOf, scope));
    stopIfInterrupted(run.signal);
    failPoint('match.before');
    const withdrawals = await matchScope(context, run, scope, { expected: recent, parts });
    failPoint('match.commit.after');
    stopIfInterrupted(run.signal);
    const end = await countMatched(context, run, input, { expected, withdrawals });
    if (run.dryRun) return await withoutReports(context, run, scope, end);
    const request = publishRequest(context, run, { destination, parts, end });
    const published = await timed(context.logger, run.stages, 'report', () =>
      publishReports(run.transact, request),
    );
    return { ...end, ...published };
  } finally {
    await Promise.all([parts.early.discard(), parts.earlySums.end()]);
  }
}

/** The results of a run, without those that come with its reports. */
type MatchedEnd = Omit<RunEnd, 'discrepancies' | 'totals' | 'reports'>;

/** Counts what the matching left, and notes which findings are accepted. */
async function countMatched(
  context: RunContext,
  run: ActiveRun,
  { scope, files, sources, notices: ofSources }: RunInput,
  found: {
    readonly expected: readonly ExpectedDelivery[];
    readonly withdrawals: readonly AppliedWithdrawal[];
  },
): Promise<MatchedEnd> {
  const { expected, withdrawals } = found;
  const view = itemView(context, scope);
  const counts = await timed(context.logger, run.stages, 'count', () =>
    run.transact(async (tx) => {
      await noteAccepted(tx, view);
      return { ...(await countResults(tx, scope)), items: await countItems(tx, view, run.id) };
    }),
  );
  const notices = [...(counts.notices ?? []), ...ofSources];
  return {
    exitCode: exitCodeOf(files, sources.filter((source) => source.status === 'failed').length, expected),
    sources,
    files,
    ...counts,
    ...(notices.length === 0 ? {} : { notices }),
    expected,
    ...(withdrawals.length === 0 ? {} : { withdrawals }),
  };
}

/** The results of a dry run, which writes no report. */
function withoutReports(
  context: RunContext,
  run: ActiveRun,
  scope: RunScope,
  end: MatchedEnd,
): Promise<RunEnd> {
  const due = dueSettings(context);
  return run.transact(async (tx) => ({
    ...end,
    discrepancies: await countDiscrepancies(tx, scope, due),
    totals: await readTotals(tx, scope, due),
    reports: null,
  }));
}

function publishRequest(
  context: RunContext,
  run: ActiveRun,
  {
    destination,
    parts,
    end,
  }: { readonly destination: EarlyRequest; readonly parts: EarlyParts; readonly end: MatchedEnd },
): PublishRequest {
  const { scope } = destination;
  const view = itemView(context, scope);
  return {
    ...destination,
    ...parts,
    due: dueSettings(context),
    format: context.reportFormat,
    outcome: {
      runId: run.id,
      kind: scope.kind === 'run' ? 'run' : 'rerun',
      asOf: scope.asOf,
      status: 'completed',
      error: null,
      ...end,
    },
    openItems: (tx) => readItemTexts(tx, view),
    closedItems: (tx) => closedItems(tx, view, run.id),
    progress: context.progress,
    sql: context.database.sql,
    threadStarted: context.threadStarted,
  };
}

function itemView(context: RunContext, { asOf }: RunScope): ItemView {
  return { ...dueSettings(context), asOf };
}

function acceptedRows(files: readonly FileOutcome[]): number {
  return files.reduce((sum, file) => sum + file.rows.accepted, 0);
}

/** Matches and assesses the records in scope. Returns the withdrawals that took effect. */
async function matchScope(
  context: RunContext,
  run: ActiveRun,
  scope: RunScope,
  { expected, parts }: { readonly expected: readonly ExpectedDelivery[]; readonly parts: EarlyParts },
): Promise<readonly AppliedWithdrawal[]> {
  const { attributes, maxPaymentsPerKey, allowances } = context;
  const corrections = Object.fromEntries(context.sources.map((source) => [source.name, source.corrections]));
  const settings = { ...dueSettings(context), attributes, maxPaymentsPerKey, allowances, corrections };
  const awaited = expected.filter(({ status }) => status === 'outstanding' || status === 'missing');
  // Not in a re-run, which reports only parts of files, nor in a dry run, which reports nothing.
  const beside: WorkBeside =
    scope.kind === 'run' && !run.dryRun
      ? {
          compared: () => {
            parts.earlySums.begin();
          },
          stored: (tx) => parts.early.write(tx),
        }
      : {};
  const task = context.progress.begin('matching', null, 'rows');
  try {
    const matched = await timed(context.logger, run.stages, 'match', () =>
      runMatching(run.transact, scope, { ...settings, awaited, runId: run.id }, beside),
    );
    return matched.withdrawals;
  } finally {
    task.end();
  }
}

/** Stores rows that people corrected as records, before the matching (design 4.9). */
async function enterCorrectedRows(context: RunContext, run: ActiveRun, scope: RunScope): Promise<void> {
  const range = scope.kind === 'run' ? null : { from: scope.from, to: scope.to };
  const zones = new Map(context.sources.map(({ name, timezone }) => [name, timezone]));
  const zoneOf = (source: string) => zones.get(source) ?? context.timezone;
  await run.transact((tx) => enterCorrections(tx, { range, zoneOf, archive: context.archive }));
}

/** The state of the deliveries of a range of days; without a range, of those that were due recently. */
function expectedOf(
  tx: Tx,
  { sources, timezone, clock }: RunContext,
  asOf: CalendarDate,
  range: { readonly from: CalendarDate; readonly to: CalendarDate } | null,
): Promise<ExpectedDelivery[]> {
  return expectedDeliveries(tx, sources, { asOf, timezone, nowMs: clock(), range });
}
