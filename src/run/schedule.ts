import { toReconError } from '../db/database-errors.js';
import { ReconError } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import { cronHeartbeat, type Heartbeat } from './heartbeat.js';
import { hasSeconds, nextNight, nightsDue, type Night, type Schedule } from './plan-nights.js';
import type { RunContext } from './run-context.js';
import { runReconciliation } from './run-reconciliation.js';

/** Waiting after a night that failed: it doubles from the first to the last. */
const firstWaitMs = 60_000;
const lastWaitMs = 3_600_000;

export interface ScheduleOptions {
  /** Called with the outcome of each night, also of one that failed. */
  readonly told: (outcome: RunOutcome) => void;
  /** What beats the time; only tests bring their own. */
  readonly heartbeat?: Heartbeat;
}

/**
 * Stays up and runs every planned night once, until the context's signal. A heartbeat asks every minute
 * (every second where the expression counts them) which nights are due, and that is computed from the runs
 * that the database knows: a night is lost neither to a machine that was off, nor to the change of the clock,
 * nor to a run that failed or took longer than its period. A night that failed is tried again, ever less
 * often; nothing is queued.
 *
 * @throws ReconError when the database cannot be read at the start; later failures are logged and waited out
 */
export async function runSchedule(
  context: RunContext,
  schedule: Schedule,
  { told, heartbeat = cronHeartbeat }: ScheduleOptions,
): Promise<void> {
  const { signal, logger } = context;
  const scheduler = new Scheduler(context, schedule, told, await lastNightMs(context, context.clock()));
  scheduler.tellNext();
  await scheduler.beat();
  if (signal.aborted) return;
  await heartbeat(hasSeconds(schedule) ? '* * * * * *' : '* * * * *', () => scheduler.beat(), {
    signal,
    logger,
    overlapped: () => scheduler.tellOverlap(),
  });
}

class Scheduler {
  readonly #context: RunContext;
  readonly #schedule: Schedule;
  readonly #told: (outcome: RunOutcome) => void;
  /** Up to here nothing is due: the last night that is known to be done, or the start of it all. */
  #doneMs: number;
  /** The planned time of the night at work, and the last one for which an overlap was told. */
  #atWork: number | undefined;
  #overlapTold = 0;
  #failures = 0;
  #waitFromMs = 0;

  constructor(
    context: RunContext,
    schedule: Schedule,
    told: (outcome: RunOutcome) => void,
    doneMs: number | undefined,
  ) {
    this.#context = context;
    this.#schedule = schedule;
    this.#told = told;
    // Where no night was ever planned there is none to catch up: the schedule begins now.
    this.#doneMs = doneMs ?? context.clock();
  }

  /** Runs what is due now. Failures that another try may mend are logged and waited out. */
  async beat(): Promise<void> {
    const { logger, clock } = this.#context;
    if (this.#isStopped() || this.#isWaiting() || this.#due().length === 0) return;
    try {
      // Another scheduler on the same database may have done them.
      this.#doneMs = (await lastNightMs(this.#context, clock())) ?? this.#doneMs;
      for (const night of this.#due()) {
        if (this.#isStopped() || !(await this.#runNight(night))) return;
      }
    } catch (thrown) {
      const error = thrown instanceof ReconError ? thrown : toReconError(thrown);
      if (error === undefined) throw thrown;
      logger.warn({ code: error.code }, `${error.message} The night stays due.`);
      this.#wait();
    } finally {
      this.#atWork = undefined;
    }
  }

  /** A beat was left out as a night is at work; told once for every night that becomes due meanwhile. */
  tellOverlap(): void {
    const atWork = this.#atWork;
    if (atWork === undefined) return;
    const waiting = nightsDue(this.#schedule, atWork, this.#context.clock()).at(-1);
    if (waiting === undefined || waiting.plannedAtMs === this.#overlapTold) return;
    this.#overlapTold = waiting.plannedAtMs;
    this.#context.logger.warn(
      { plannedFor: iso(waiting.plannedAtMs), active: iso(atWork) },
      'A night is due while the last one is still at work; it runs when that one is done.',
    );
  }

  tellNext(): void {
    const next = nextNight(this.#schedule, this.#context.clock());
    if (next === null) return;
    this.#context.logger.info({ plannedFor: iso(next.plannedAtMs), asOf: next.asOf }, 'next night');
  }

  #isStopped(): boolean {
    return this.#context.signal.aborted;
  }

  #due(): Night[] {
    return nightsDue(this.#schedule, this.#doneMs, this.#context.clock());
  }

  /** Whether the night came to its end; one that failed stays due. */
  async #runNight(night: Night): Promise<boolean> {
    const { logger } = this.#context;
    const planned = { plannedFor: iso(night.plannedAtMs), asOf: night.asOf };
    logger.info(planned, 'night begins');
    this.#atWork = night.plannedAtMs;
    const outcome = await runReconciliation(this.#context, {
      sources: null,
      files: [],
      asOf: night.asOf,
      dryRun: false,
      scheduledFor: planned.plannedFor,
    });
    this.#told(outcome);
    if (outcome.status === 'failed') {
      logger.warn({ ...planned, code: outcome.error?.code }, 'The night failed and stays due.');
      this.#wait();
      return false;
    }
    this.#doneMs = night.plannedAtMs;
    this.#failures = 0;
    logger.info({ ...planned, runId: outcome.runId, exitCode: outcome.exitCode }, 'night done');
    this.tellNext();
    return true;
  }

  #wait(): void {
    this.#failures += 1;
    this.#waitFromMs = this.#context.clock();
  }

  #isWaiting(): boolean {
    if (this.#failures === 0) return false;
    const waited = this.#context.clock() - this.#waitFromMs;
    // A clock that was put back must not make the wait longer.
    return waited >= 0 && waited < Math.min(firstWaitMs * 2 ** (this.#failures - 1), lastWaitMs);
  }
}

/**
 * The planned time of the last night that was completed; where none ever was, a moment before the first one
 * that was tried, so that it stays due; undefined when none was tried. A time in the future is left out: it
 * is of a clock that was wrong, and would keep the schedule silent until then.
 */
async function lastNightMs({ database }: RunContext, nowMs: number): Promise<number | undefined> {
  const [row] = await database.sql<{ done: string | null; first: string | null }[]>`
    select (extract(epoch from max(scheduled_for) filter (where status = 'completed')) * 1000)::bigint::text as done,
      (extract(epoch from min(scheduled_for)) * 1000)::bigint::text as first
    from runs where scheduled_for <= ${iso(nowMs)}::timestamptz`;
  if (row === undefined || row.first === null) return undefined;
  return row.done === null ? Number(row.first) - 1 : Number(row.done);
}

const iso = (ms: number) => new Date(ms).toISOString();
