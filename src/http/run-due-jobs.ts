import type { Sql } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import { databaseMoment } from '../db/database-moment.js';
import type { ReconError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { Environment, JobRun, PaymentCore } from '../payment-core/index.js';

const everyMs = 20_000;

/**
 * Why the gateway and the command leave the payments that are due in live: they would be refused (600.200.201), and
 * each of them is made at most once, so that the program with the connector would not make them either.
 */
export const whyLeftInLive =
  'Payments in live need a connector to an acquirer, which only a program with the library has: scheduled payments stay due until it calls jobs.runDue().';

/** This many payments are made before the signal is checked again. */
const batch = 100;

/** What makes the payments, and the database that says which are due. */
export interface DueJobs {
  readonly core: PaymentCore;
  /** Of the core. */
  readonly sql: Sql;
}

/**
 * Makes the payments of all schedules that are due now, by the clock of the database. Any number of processes may do
 * this at the same time: the core makes each fire once.
 *
 * @param signal ends it after the batch in progress; what is left stays due
 * @returns what was made, and why it ended early: that does not undo the payments before
 */
export async function runAllDueJobs(
  { core, sql }: DueJobs,
  signal: AbortSignal,
): Promise<{ readonly runs: readonly JobRun[]; readonly failure?: ReconError }> {
  const runs: JobRun[] = [];
  try {
    // Fires that fall due meanwhile are for the next call: a schedule of every second cannot keep this one going.
    const nowMs = await databaseMoment(sql);
    while (!signal.aborted) {
      const made = await core.jobs.runDue(nowMs, { limit: batch });
      if (made.length === 0) break;
      runs.push(...made);
    }
    return { runs };
  } catch (thrown) {
    // The core throws nothing but ReconError, and the database nothing that `toReconError` does not know.
    return { runs, failure: toReconError(thrown) ?? (thrown as ReconError) };
  }
}

/**
 * Makes the payments of schedules that are due, at once and from then on, until it is stopped. In live, they are left.
 *
 * @returns a function that stops it and waits for the payments in progress
 */
export function keepRunningDueJobs(
  due: DueJobs,
  environment: Environment,
  logger: Logger,
): () => Promise<void> {
  if (environment === 'live') {
    logger.info(whyLeftInLive);
    return () => Promise.resolve();
  }
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    const { runs, failure } = await runAllDueJobs(due, stopping.signal);
    const payments = runs.filter(({ paymentId }) => paymentId !== undefined).length;
    if (runs.length > 0) logger.info({ payments, fires: runs.length }, 'Scheduled payments were made.');
    if (failure === undefined) return;
    // The fires stay due, so the next round makes them.
    logger.error({ err: failure }, 'Scheduled payments could not be made.');
  };
  const start = () => {
    running ??= run().finally(() => (running = undefined));
  };
  const timer = setInterval(start, everyMs);
  start();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}
