import { ReconError } from '../errors.js';
import type { RunOutcome } from '../outcome.js';
import type { CommandContext } from './command-context.js';
import type { FailOn } from './fail-on.js';
import { finishRun } from './finish-run.js';
import { alertsOf } from './open-alerts.js';

/** A run or re-run, and when its outcome is a failure of the command. */
export interface ObservedRun {
  readonly failOn: FailOn | null;
  readonly dryRun: boolean;
  readonly work: () => Promise<RunOutcome>;
}

/**
 * Does a run or re-run, prints its outcome and returns its exit code. Afterwards it writes the metrics and sends
 * alerts, also for a run that could not begin, and removes old data if the settings of retention ask for it. A dry run,
 * and one that another run kept from beginning, changed nothing and leave no trace.
 */
export async function observeRun(
  context: CommandContext,
  { failOn, dryRun, work }: ObservedRun,
): Promise<number> {
  try {
    const outcome = await work();
    const exitCode = finishRun(context, outcome, failOn);
    if (dryRun) return exitCode;
    await writeMetrics(context, exitCode);
    const alerts = alertsOf(context);
    if (alerts !== null) await alerts.afterRun((await context.database()).sql, outcome);
    const { retention } = context.config();
    if (retention.afterRun) {
      const { purgeAfterRun } = await import('../retention/purge-after-run.js');
      await purgeAfterRun(await context.runContext(), retention, outcome);
    }
    return exitCode;
  } catch (thrown) {
    const hasRun = thrown instanceof ReconError && !['RUN_ACTIVE', 'USAGE_INVALID'].includes(thrown.code);
    if (hasRun && !dryRun) {
      await writeMetrics(context, thrown.exitCode);
      await alertsOf(context)?.afterFailure(thrown);
    }
    throw thrown;
  }
}

async function writeMetrics(context: CommandContext, exitCode: number): Promise<void> {
  const { metrics, sources, timezone } = context.config();
  if (metrics.textfile === null) return;
  const database = await context.database().catch(() => null);
  // Loaded only where the metrics are written, like the purge: both would delay the start of each run.
  const { writeTextfile } = await import('../metrics/textfile.js');
  await writeTextfile({
    file: metrics.textfile,
    sql: database?.sql ?? null,
    sources,
    timezone,
    exitCode,
    nowMs: Date.now(),
    logger: context.logger(),
  });
}
