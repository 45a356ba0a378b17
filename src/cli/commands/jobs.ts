import { exitCodes, ReconError } from '../../errors.js';
import { runAllDueJobs, whyLeftInLive } from '../../http/run-due-jobs.js';
import { jobList, jobStatuses } from '../../listings/list-jobs.js';
import type { JobRun } from '../../payment-core/index.js';
import { choiceOption } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { interruptedExitCode } from '../interrupted.js';
import { minuteOf, printList } from '../list-table.js';
import { openPaymentCore } from '../open-payment-core.js';
import { textTable } from '../text/text-table.js';

/**
 * Makes the payments that are due and ends, for cron; `recon serve` does the same while it runs.
 *
 * @throws ReconError CONFIG_INVALID in live
 */
export const run: RunCommand = async (context) => {
  if (context.config().http.environment === 'live') {
    throw new ReconError('CONFIG_INVALID', `http.environment is live. ${whyLeftInLive}`);
  }
  const core = await openPaymentCore(context);
  const { sql } = await context.database();
  const { runs, failure } = await runAllDueJobs({ core, sql }, context.signal);
  if (failure !== undefined && runs.length === 0) throw failure;
  context.print(runs, (paint) => {
    if (runs.length === 0) return 'No scheduled payment is due.';
    const rows = runs.map(({ jobId, firedAt, paymentId, resultCode }) => [
      jobId,
      firedAt.slice(0, 16),
      resultCode,
      paymentId ?? 'no payment',
    ]);
    return textTable(['schedule', 'due (UTC)', 'result', 'payment'], rows, { paint });
  });
  const made = runs.filter((one: JobRun) => one.paymentId !== undefined).length;
  if (runs.length > 0) {
    context.logger().info({ payments: made, fires: runs.length }, 'Scheduled payments were made.');
  }
  if (failure !== undefined) {
    context
      .logger()
      .error({ err: failure }, 'Not all scheduled payments could be made; the others stay due.');
    return failure.exitCode;
  }
  return context.signal.aborted ? interruptedExitCode(context.signal) : exitCodes.done;
};

/** The schedules with their latest fire. */
export const list: RunCommand = async (context, _args, options) => {
  await printList(context, options, {
    source: jobList(choiceOption(options, 'status', jobStatuses)),
    head: ['schedule', 'status', 'next (UTC)', 'last (UTC)', 'result'],
    cells: (job) => [
      job.id,
      job.status,
      minuteOf(job.nextRunAt),
      minuteOf(job.lastFiredAt),
      job.lastResultCode,
    ],
    sentence: ({ amount, currency, registrationId, expression }) =>
      `${amount ?? ''} ${currency ?? ''} of registration ${registrationId} by ${expression}`.trim(),
    none: 'There are no schedules.',
    filter: { options: ['status'], entry: 'schedule' },
  });
  return exitCodes.done;
};
