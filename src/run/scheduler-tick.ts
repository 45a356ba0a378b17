import { schedule } from 'node-cron';
import type { Logger } from 'pino';

/** Calls `tick` at the times of a cron expression (UTC) until the signal; resolves when the last call has ended. */
export type SchedulerTick = (
  expression: string,
  tick: () => Promise<void>,
  options: { readonly signal: AbortSignal; readonly logger: Logger; readonly overlapped: () => void },
) => Promise<void>;

/**
 * node-cron calls in UTC, where no hour is skipped or repeated, and never while the last call is still running:
 * then it calls `overlapped` instead.
 */
export const cronTick: SchedulerTick = (expression, tick, { signal, logger, overlapped }) =>
  new Promise((resolve, reject) => {
    let working = Promise.resolve();
    const failed = (thrown: unknown) => {
      void task.destroy();
      reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
    };
    const task = schedule(
      expression,
      () => {
        working = tick().catch(failed);
        return working;
      },
      { noOverlap: true, timezone: 'UTC', suppressMissedWarning: true, logger: quietly(logger) },
    );
    task.on('execution:overlap', overlapped);
    signal.addEventListener(
      'abort',
      () => {
        void task.destroy();
        // A tick that aborts before its first await is not assigned to `working` yet.
        void Promise.resolve()
          .then(() => working)
          .then(resolve);
      },
      { once: true },
    );
  });

/** node-cron would write coloured lines to the console; its messages do not help the operator. */
function quietly(logger: Logger) {
  const debug = (message: string | Error) => {
    logger.debug(message instanceof Error ? message.message : message);
  };
  return { info: debug, warn: debug, error: debug, debug };
}
