import { toReconError } from '../db/database-errors.js';
import type { Logger } from '../logger.js';
import type { PaymentCore } from '../payment-core/index.js';

const everyMs = 20_000;

/**
 * Makes the payments of schedules that are due, until it is stopped. Any number of processes may do this: the core makes
 * each payment once.
 *
 * @returns a function that stops it and waits for the payments in progress
 */
export function keepRunningDueJobs(core: PaymentCore, logger: Logger): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      const made = await core.jobs.runDue();
      if (made.length > 0) logger.info({ payments: made.length }, 'Scheduled payments were made.');
    } catch (thrown) {
      // The fires stay due, so the next round makes them.
      logger.error({ err: toReconError(thrown) ?? thrown }, 'Scheduled payments could not be made.');
    }
  };
  const timer = setInterval(() => {
    running ??= run().finally(() => (running = undefined));
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
