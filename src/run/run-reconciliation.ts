import { adoptFinishedFiles, receivedFiles } from '../intake/unfinished-files.js';
import { adoptFindings } from '../matching/discrepancies/adopt-findings.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { failPoint } from '../fail-point.js';
import type { FileOutcome, RunOutcome } from '../outcome.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';
import { matchAndReport } from './match-and-report.js';
import { loadedFileOutcomes } from './files/loaded-file-outcomes.js';
import { withRun, type ActiveRun } from './open-run.js';
import { unknownSource } from './require-sources.js';
import type { RunContext } from './run-context.js';
import { lastOutcomes, takeInArchived, takeInPaths, takeInSources } from './files/take-in-files.js';
import { timed } from './timed.js';
import { withPackedNames } from './files/with-packed-names.js';

/** What a run reads, and as of which day (design 4.7). */
export interface ReconciliationRequest {
  /** Names of the sources to fetch from; null means all. */
  readonly sources: readonly string[] | null;
  /** Local files to take instead of the sources; empty means the sources. */
  readonly files: readonly string[];
  /** The day on which payments count as due; null is today in the configured zone. */
  readonly asOf: CalendarDate | null;
  readonly dryRun: boolean;
  /** ISO moment at which the scheduler had planned this run. */
  readonly scheduledFor?: string;
}

/**
 * One run from start to end (design 2): take over what an earlier run left, receive and load what is new, match it, and
 * report. Each step commits separately or not at all, so the next run continues after the step that was interrupted.
 *
 * @throws ReconError RUN_ACTIVE when another run is active, USAGE_INVALID for an unknown source.
 */
export async function runReconciliation(
  context: RunContext,
  request: ReconciliationRequest,
): Promise<RunOutcome> {
  const sources = chosenSources(context, request.sources);
  const asOf = request.asOf ?? dateInZone(context.clock(), context.timezone);
  const { dryRun, scheduledFor = null } = request;
  const asked = { kind: 'run', asOf, range: null, scheduledFor, dryRun } as const;
  return withRun(context, asked, async (run, ownContext) => {
    const leftOver = await takeOverLeftOvers(ownContext, run);
    const alreadyReported = new Set(leftOver.map((file) => file.sha256 ?? ''));
    const intake = await timed(ownContext.logger, run.stages, 'intake', () =>
      request.files.length > 0
        ? takeInPaths(ownContext, run, request.files, alreadyReported)
        : takeInSources(ownContext, run, sources, alreadyReported),
    );
    return matchAndReport(ownContext, run, {
      scope: { kind: 'run', runId: run.id, asOf },
      files: lastOutcomes(leftOver, intake),
      sources: intake.sources,
      notices: intake.notices,
    });
  });
}

/** What a run which died, failed or was interrupted had received or found, but not reported. */
async function takeOverLeftOvers(context: RunContext, run: ActiveRun): Promise<FileOutcome[]> {
  failPoint('leftovers.before');
  if (!run.dryRun) await context.archive.removeIncoming();
  const adopted = await run.transact(async (tx) => {
    await adoptFindings(tx, run.id);
    return adoptFinishedFiles(tx, run.id);
  });
  const received = await run.transact(receivedFiles);
  const reported = await run.transact((tx) =>
    loadedFileOutcomes(
      tx,
      adopted.map((file) => file.id),
    ),
  );
  failPoint('leftovers.after');
  return withPackedNames(run, [...reported, ...(await takeInArchived(context, run, received))]);
}

function chosenSources(context: RunContext, names: readonly string[] | null): readonly SourceSettings[] {
  if (names === null) return context.sources;
  return [...new Set(names)].map((name) => {
    const source = context.sources.find((candidate) => candidate.name === name);
    if (source !== undefined) return source;
    throw unknownSource(
      name,
      context.sources.map((candidate) => candidate.name),
    );
  });
}
