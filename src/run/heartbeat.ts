import { schedule } from 'node-cron';
import type { Logger } from 'pino';

/** Calls `beat` at the times of a cron expression (UTC) until the signal; resolves when the last call is done. */
export type Heartbeat = (
  expression: string,
  beat: () => Promise<void>,
  options: { readonly signal: AbortSignal; readonly logger: Logger; readonly overlapped: () => void },
) => Promise<void>;

/**
 * node-cron beats the time. It beats in UTC, where no hour is skipped or comes twice, and never while the
 * last call is still at work: `overlapped` tells of the call that was left out.
 */
export const cronHeartbeat: Heartbeat = (expression, beat, { signal, logger, overlapped }) =>
  new Promise((resolve, reject) => {
    let working = Promise.resolve();
    const failed = (thrown: unknown) => {
      void task.destroy();
      reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
    };
    const task = schedule(
      expression,
      () => {
        working = beat().catch(failed);
        return working;
      },
      { noOverlap: true, timezone: 'UTC', suppressMissedWarning: true, logger: quietly(logger) },
    );
    task.on('execution:overlap', overlapped);
    signal.addEventListener(
      'abort',
      () => {
        void task.destroy();
        // A beat that aborts before it first waits has not been noted yet.
        void Promise.resolve()
          .then(() => working)
          .then(resolve);
      },
      { once: true },
    );
  });

/** node-cron would write coloured lines to the console; what it says of itself is no news for the operator. */
function quietly(logger: Logger) {
  const debug = (message: string | Error) => {
    logger.debug(message instanceof Error ? message.message : message);
  };
  return { info: debug, warn: debug, error: debug, debug };
}
