import { schedule as startCron, type ScheduledTask } from 'node-cron';
import { ReconError } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import { hasSeconds, nextNight, nightsDue, type Schedule } from './plan-nights.js';
import type { RunContext } from './run-context.js';
import { runReconciliation } from './run-reconciliation.js';

/** After a run that failed (not one that found bad files) the same night is tried again no sooner than this. */
const retryAfterMs = 5 * 60_000;

/**
 * Stays up and runs every planned night once, until the context's signal. node-cron only beats the time;
 * which nights are due is computed from the runs that the database knows, so a night is neither lost to a
 * machine that was off, nor to the change of the clock, nor to a run that took longer than its period.
 */
export async function runSchedule(
  context: RunContext,
  schedule: Schedule,
  told: (outcome: RunOutcome) => void,
): Promise<void> {
  const startedAtMs = context.clock();
  let notBeforeMs = 0;
  tellNext(context, schedule);
  const beat = async (): Promise<void> => {
    if (context.signal.aborted || context.clock() < notBeforeMs) return;
    const done = await runDueNights(context, schedule, startedAtMs, told);
    if (!done) notBeforeMs = context.clock() + retryAfterMs;
  };
  await beat();
  if (context.signal.aborted) return;
  await beatUntilAborted(context, hasSeconds(schedule) ? '* * * * * *' : '* * * * *', beat);
}

/** Runs what is due; false when a run could not do its work and should be tried again later. */
async function runDueNights(
  context: RunContext,
  schedule: Schedule,
  startedAtMs: number,
  told: (outcome: RunOutcome) => void,
): Promise<boolean> {
  for (const night of nightsDue(schedule, (await lastNightMs(context)) ?? startedAtMs, context.clock())) {
    if (context.signal.aborted) return true;
    try {
      const outcome = await runReconciliation(context, {
        sources: null,
        files: [],
        asOf: night.asOf,
        dryRun: false,
        scheduledFor: new Date(night.plannedAtMs).toISOString(),
      });
      told(outcome);
      if (outcome.status === 'failed') return false;
    } catch (thrown) {
      if (!(thrown instanceof ReconError)) throw thrown;
      // Another run is at work, or the database is away: the night stays due and is looked at again.
      context.logger.warn({ code: thrown.code, asOf: night.asOf }, thrown.message);
      return thrown.code === 'RUN_ACTIVE';
    }
    tellNext(context, schedule);
  }
  return true;
}

async function lastNightMs(context: RunContext): Promise<number | undefined> {
  const [row] = await context.database.sql<{ ms: string | null }[]>`
    select (extract(epoch from max(scheduled_for)) * 1000)::bigint::text as ms from runs where status = 'completed'`;
  return row?.ms === null || row?.ms === undefined ? undefined : Number(row.ms);
}

function tellNext(context: RunContext, schedule: Schedule): void {
  const next = nextNight(schedule, context.clock());
  if (next !== null)
    context.logger.info(
      { next: new Date(next.plannedAtMs).toISOString(), asOf: next.asOf },
      'next run planned',
    );
}

/** Beats never overlap: node-cron skips one that comes while the last is still at work. */
function beatUntilAborted(context: RunContext, expression: string, beat: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let working: Promise<void> = Promise.resolve();
    const task: ScheduledTask = startCron(
      expression,
      () => {
        working = beat().catch((thrown: unknown) => {
          void task.stop();
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        });
        return working;
      },
      { noOverlap: true, timezone: 'UTC' },
    );
    context.signal.addEventListener(
      'abort',
      () => {
        void task.stop();
        void working.then(resolve);
      },
      { once: true },
    );
  });
}
