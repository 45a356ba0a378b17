import { toReconError } from '../../db/database-errors.js';
import { ReconError } from '../../errors.js';
import type { RunOutcome } from '../../outcome.js';
import { cronTick, type SchedulerTick } from './scheduler-tick.js';
import { hasSeconds, nextRun, runsDue } from './plan-runs.js';
import type { PlannedRun, Schedule } from './planned-run.js';
import type { RunContext } from '../run-context.js';
import { runReconciliation } from '../run-reconciliation.js';

/** Waiting times after a failed run: they double from the first to the last. */
const firstWaitMs = 60_000;
const lastWaitMs = 3_600_000;

/** Whom the scheduler calls. */
export interface ScheduleOptions {
  /** Called with the outcome of each run, including a failed one; what it returns is awaited. */
  readonly report: (outcome: RunOutcome) => unknown;
  /** Called when a run could not begin; it stays due. */
  readonly failed?: (error: ReconError) => Promise<void>;
  /** Called at the start and at every tick, also while a run is active. */
  readonly watch?: (state: ScheduleState) => Promise<void>;
  /** Calls the scheduler regularly; only tests replace it. */
  readonly tick?: SchedulerTick;
}

/** What a scheduler waits for. */
export interface ScheduleState {
  /** The oldest planned run that is due and has not begun. */
  readonly overdue: PlannedRun | null;
  readonly next: PlannedRun | null;
}

/**
 * Keeps running and starts every planned run once, until the context's signal. Every minute (every second where the
 * expression counts seconds) it computes from the runs in the database which runs are due. So no planned run is
 * lost when the machine was off, the clock changed, or a run failed or took longer than its period. A failed run
 * is tried again after growing pauses; nothing is queued.
 *
 * @throws ReconError when the database cannot be read at the start; later failures are logged, and the scheduler waits
 */
export async function runSchedule(
  context: RunContext,
  schedule: Schedule,
  options: ScheduleOptions,
): Promise<void> {
  const { signal, logger } = context;
  const { watch = () => Promise.resolve(), tick = cronTick } = options;
  const scheduler = new Scheduler(
    context,
    schedule,
    options,
    await lastCompletedMs(context, context.clock()),
  );
  scheduler.logNext();
  const beat = async () => {
    await watch(scheduler.state());
    await scheduler.startDueRuns();
    await watch(scheduler.state());
  };
  await beat();
  if (signal.aborted) return;
  await tick(hasSeconds(schedule) ? '* * * * * *' : '* * * * *', beat, {
    signal,
    logger,
    overlapped: () => {
      scheduler.logOverlap();
      void watch(scheduler.state());
    },
  });
}

class Scheduler {
  readonly #context: RunContext;
  readonly #schedule: Schedule;
  readonly #options: ScheduleOptions;
  /** Nothing planned up to here is due: the last completed run, or the start of the scheduler. */
  #doneMs: number;
  /** The planned time of the active run. */
  #activeMs: number | undefined;
  #isOverlapLogged = false;
  #failures = 0;
  #waitFromMs = 0;

  constructor(context: RunContext, schedule: Schedule, options: ScheduleOptions, doneMs: number | undefined) {
    this.#context = context;
    this.#schedule = schedule;
    this.#options = options;
    // Without an earlier planned run there are no missed runs: the schedule begins now.
    this.#doneMs = doneMs ?? context.clock();
  }

  /** Starts the runs that are due now. After a failure that may pass it logs, waits, and tries again. */
  async startDueRuns(): Promise<void> {
    const { logger, clock } = this.#context;
    if (this.#isStopped() || this.#isWaiting()) return;
    try {
      if (this.#doneMs > clock()) await this.#forgetFuture();
      if (this.#due().length === 0) return;
      // Another scheduler on the same database may have done them.
      this.#doneMs = (await lastCompletedMs(this.#context, clock())) ?? this.#doneMs;
      for (const planned of this.#due()) {
        if (this.#isStopped() || !(await this.#run(planned))) return;
      }
    } catch (thrown) {
      const known = thrown instanceof ReconError ? thrown : toReconError(thrown);
      if (known === undefined) throw thrown;
      const error = this.#context.database.explain(known);
      logger.warn({ code: error.code }, `${error.message} The run stays due.`);
      this.#wait();
      await this.#options.failed?.(error);
    } finally {
      this.#activeMs = undefined;
    }
  }

  /** A clock that was wrong has planned the last run; nothing would run until that time. As at the start. */
  async #forgetFuture(): Promise<void> {
    const nowMs = this.#context.clock();
    this.#doneMs = (await lastCompletedMs(this.#context, nowMs)) ?? nowMs;
  }

  /** Logs, once for each active run, that another one becomes due: with seconds in the schedule, each second does. */
  logOverlap(): void {
    const activeMs = this.#activeMs;
    if (activeMs === undefined || this.#isOverlapLogged) return;
    const waiting = runsDue(this.#schedule, activeMs, this.#context.clock()).at(-1);
    if (waiting === undefined) return;
    this.#isOverlapLogged = true;
    this.#context.logger.warn(
      { plannedFor: iso(waiting.plannedAtMs), active: iso(activeMs) },
      'A run is due while the last one is still active; it starts when that one ends.',
    );
  }

  state(): ScheduleState {
    const nowMs = this.#context.clock();
    const [overdue = null] = runsDue(this.#schedule, this.#activeMs ?? this.#doneMs, nowMs);
    return { overdue, next: nextRun(this.#schedule, nowMs) };
  }

  logNext(): void {
    const next = nextRun(this.#schedule, this.#context.clock());
    if (next === null) return;
    this.#context.logger.info({ plannedFor: iso(next.plannedAtMs), asOf: next.asOf }, 'next run');
  }

  #isStopped(): boolean {
    return this.#context.signal.aborted;
  }

  #due(): PlannedRun[] {
    return runsDue(this.#schedule, this.#doneMs, this.#context.clock());
  }

  /** Returns whether the run was completed; a failed run stays due. */
  async #run(next: PlannedRun): Promise<boolean> {
    const { logger } = this.#context;
    const planned = { plannedFor: iso(next.plannedAtMs), asOf: next.asOf };
    logger.info(planned, 'run begins');
    this.#activeMs = next.plannedAtMs;
    this.#isOverlapLogged = false;
    const outcome = await runReconciliation(this.#context, {
      sources: null,
      files: [],
      asOf: next.asOf,
      dryRun: false,
      scheduledFor: planned.plannedFor,
    });
    await this.#options.report(outcome);
    if (outcome.status === 'failed') {
      logger.warn({ ...planned, code: outcome.error.code }, 'The run failed and stays due.');
      this.#wait();
      return false;
    }
    this.#doneMs = next.plannedAtMs;
    this.#failures = 0;
    logger.info({ ...planned, runId: outcome.runId, exitCode: outcome.exitCode }, 'run done');
    this.logNext();
    return true;
  }

  #wait(): void {
    this.#failures += 1;
    this.#waitFromMs = this.#context.clock();
  }

  #isWaiting(): boolean {
    if (this.#failures === 0) return false;
    const waited = this.#context.clock() - this.#waitFromMs;
    // A clock that was set back must not make the wait longer.
    return waited >= 0 && waited < Math.min(firstWaitMs * 2 ** (this.#failures - 1), lastWaitMs);
  }
}

/**
 * The planned time of the last completed run. When none was completed, a moment before the first one that was tried,
 * so that it stays due; undefined when none was tried. A time in the future is ignored: it comes from a wrong clock,
 * and nothing would run until then.
 */
async function lastCompletedMs({ database }: RunContext, nowMs: number): Promise<number | undefined> {
  const [row] = await database.sql<{ done: string | null; first: string | null }[]>`
    select (extract(epoch from max(scheduled_for) filter (where status = 'completed')) * 1000)::bigint::text as done,
      (extract(epoch from min(scheduled_for)) * 1000)::bigint::text as first
    from runs where scheduled_for <= ${iso(nowMs)}::timestamptz`;
  if (row === undefined || row.first === null) return undefined;
  return row.done === null ? Number(row.first) - 1 : Number(row.done);
}

const iso = (ms: number) => new Date(ms).toISOString();
