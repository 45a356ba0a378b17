import type { Archive } from '../archive/archive.js';
import { fencedTransactions, type FencedTransactions, type Transact } from '../db/fence.js';
import { fencedDryRun } from '../db/fenced-dry-run.js';
import { toReconError } from '../db/database-errors.js';
import { isDivided } from '../db/shards/is-divided.js';
import { hasDownloaders } from '../intake/claims/download-claim.js';
import { filesWorkersCanLoad } from '../intake/claims/offered-files.js';
import { readPackageVersion } from '../package-version.js';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { CompletedRun, FailedRun, RunOutcome } from '../outcome.js';
import { closeFailedRun, closeRun } from './close-run.js';
import { deliverAfter } from './deliver-reports.js';
import { runInterruption } from './run-interruption.js';
import type { RunContext } from './run-context.js';
import { acquireLockWithoutRun, acquireRunLock, type RunLock, type RunRequest } from './run-lock.js';
import { LoadQueue } from './load-queue.js';
import { followSignals } from './run-signals.js';
import { SharedDownloads } from './shared/shared-downloads.js';
import { SharedFiles } from './shared/shared-files.js';
import type { StageTimes } from './timed.js';
import type { RunId } from '../values/ids.js';
import { noResults } from './no-results.js';
import { createWorkDirectory, removeLeftWorkDirectories, removeWorkDirectory } from './work-directory.js';

/** An active run: its number, its permission to write, and the folder for its files. */
export interface ActiveRun {
  readonly id: RunId;
  readonly dryRun: boolean;
  readonly transact: Transact;
  /** Aborted on a signal or when the lock is lost. */
  readonly signal: AbortSignal;
  /** Of the data directory, or the temporary one of a dry run. */
  readonly archive: Archive;
  /** How long its stages took so far. */
  readonly stages: StageTimes;
  /** The files that it is loading. */
  readonly loads: LoadQueue;
  /**
   * The files that it shares with workers; null for a dry run, whose rows only its own transaction sees, and with
   * shards.
   */
  readonly shared: SharedFiles | null;
  /** The downloads that it shares with workers; null in the same cases. */
  readonly downloads: SharedDownloads | null;
}

/** The results of a run. */
export type RunEnd = Omit<CompletedRun, 'runId' | 'kind' | 'asOf' | 'status' | 'error'>;

interface WholeRequest extends RunRequest {
  /** Then everything that the run does is rolled back. */
  readonly dryRun: boolean;
}

type Work = (run: ActiveRun, context: RunContext) => Promise<RunEnd>;

/**
 * Opens a run, does its work, closes it with its outcome, and then delivers its report. A failure closes the run as
 * failed (or interrupted) and is part of the outcome, so a caller always gets the run's number. What was committed
 * stays, and the next run continues from there.
 *
 * @param work gets the run and the context of the run: each of its log lines carries the number of the run
 * @throws ReconError RUN_ACTIVE, or a database error when the run could not even be opened.
 */
export async function withRun(context: RunContext, request: WholeRequest, work: Work): Promise<RunOutcome> {
  const lock = request.dryRun
    ? await acquireLockWithoutRun(context, 'dry run')
    : await acquireRunLock(context, request);
  const ownContext = contextOfRun(context, lock.fence.runId);
  let outcome: RunOutcome;
  try {
    outcome = await closeWithOutcome(ownContext, request, lock, work);
  } finally {
    await lock.release();
  }
  // The run is over, so no other run waits for a slow receiver of its report.
  return deliverAfter(ownContext, outcome);
}

/** The same context, whose log lines carry the number of the run; at level trace those are the statements too. */
function contextOfRun(context: RunContext, runId: RunId): RunContext {
  const logger = context.logger.child({ runId });
  const { database } = context;
  return {
    ...context,
    logger,
    database: logger.isLevelEnabled('trace') ? database.loggedBy(logger) : database,
  };
}

async function closeWithOutcome(
  context: RunContext,
  { kind, asOf, dryRun }: WholeRequest,
  lock: RunLock,
  work: Work,
): Promise<RunOutcome> {
  const signals = followSignals([context.signal, lock.lost]);
  const { signal } = signals;
  const heading = { runId: lock.fence.runId, kind, asOf } as const;
  let fenced: FencedTransactions | undefined;
  let workDirectory: string | undefined;
  const stages: StageTimes = new Map();
  try {
    const openFence = dryRun ? fencedDryRun : fencedTransactions;
    fenced = await openFence(context.database, lock.fence, signals.giveUp);
    await removeLeftWorkDirectories();
    if (dryRun) workDirectory = await createWorkDirectory();
    const archive = workDirectory === undefined ? context.archive : context.archive.in(workDirectory);
    const begun = { id: heading.runId, dryRun, transact: fenced.transact, signal, archive, stages };
    const end = await work({ ...begun, ...(await loading(context, begun)) }, context);
    const outcome: RunOutcome = { ...heading, status: 'completed', error: null, ...end };
    failPoint('close.before');
    if (!dryRun) await closeRun(context, lock, 'completed', { outcome, stages });
    failPoint('close.after');
    return outcome;
  } catch (thrown) {
    const reason = context.database.explain(await reasonOf(thrown, context, signal));
    const outcome = failedOutcome(heading, reason);
    context.logger.error({ code: outcome.error.code }, outcome.error.message);
    if (!dryRun) await closeFailedRun(context, lock, signal, { outcome, stages });
    return outcome;
  } finally {
    await fenced?.end();
    signals.end();
    if (workDirectory !== undefined) await removeWorkDirectory(workDirectory);
  }
}

type Loading = Pick<ActiveRun, 'loads' | 'shared' | 'downloads'>;

/** How many files a run loads at once, and whether it shares them with workers. */
async function loading(context: RunContext, run: Omit<ActiveRun, keyof Loading>): Promise<Loading> {
  // A dry run has only one transaction. With shards, a transaction sees what was committed when it began, so the files
  // before it must be finished by then.
  if (run.dryRun || (await isDivided(context.database.sql))) {
    return { loads: new LoadQueue(1), shared: null, downloads: null };
  }
  const loads = new LoadQueue(context.filesAtOnce);
  const { id: runId, transact, signal } = run;
  return { loads, ...sharedWithWorkers(context, { runId, transact, signal, loads }) };
}

function sharedWithWorkers(
  { database: { sql }, archive, logger, clock, filesAtOnce, leaseSeconds }: RunContext,
  run: { readonly runId: RunId; readonly transact: Transact; readonly signal: AbortSignal; loads: LoadQueue },
): Pick<ActiveRun, 'shared' | 'downloads'> {
  const { version } = readPackageVersion();
  const hasWorkers = async () => (await filesWorkersCanLoad(sql, version)) > 0;
  const downloaders = (source: string) => hasDownloaders(sql, version, source);
  return {
    shared: new SharedFiles({ ...run, filesAtOnce, leaseSeconds, hasWorkers }),
    downloads: new SharedDownloads({
      ...run,
      archive,
      leaseSeconds,
      logger,
      clock,
      hasDownloaders: downloaders,
    }),
  };
}

/** A replaced run loses its connections one after the other; only the connection of the lock has the reason. */
const lostTogetherMs = 100;

async function reasonOf(thrown: unknown, context: RunContext, signal: AbortSignal): Promise<ReconError> {
  const error = asReconError(thrown, signal);
  if (error.code !== 'DATABASE_FAILED') return error;
  await context.sleep(lostTogetherMs);
  return asReconError(error, signal);
}

/** A failure as a message for people; a defect of the program is rethrown unchanged. */
function asReconError(thrown: unknown, signal: AbortSignal): ReconError {
  if (signal.aborted) return runInterruption(signal);
  const known = thrown instanceof ReconError ? thrown : toReconError(thrown);
  if (known === undefined) throw thrown;
  return known;
}

function failedOutcome(heading: Pick<RunOutcome, 'runId' | 'kind' | 'asOf'>, error: ReconError): FailedRun {
  return {
    ...heading,
    status: 'failed',
    exitCode: error.exitCode,
    error: { code: error.code, message: error.message },
    ...noResults,
  };
}
