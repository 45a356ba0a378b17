import { schedule } from 'node-cron';
import type { Logger } from 'pino';

/** Calls `tick` at the times of a cron expression (UTC) until the signal; resolves when the last call has ended. */
export type SchedulerTick = (
  expression: string,
  tick: () => Promise<void>,
  options: { readonly signal: AbortSignal; readonly logger: Logger; readonly overlapped: () => void },
) => Promise<void>;

/**
 * node-cron calls in UTC, where no hour is skipped or repeated. It waits for the time that it computed last, however
 * far ahead that is after the clock was set back, so it computes again whenever the clock was set. No call begins while
 * the last one is still running: then `overlapped` is called instead.
 */
export const cronTick: SchedulerTick = (expression, tick, { signal, logger, overlapped }) =>
  new Promise((resolve, reject) => {
    let working: Promise<void> | undefined;
    const beat = () => {
      if (working !== undefined) {
        overlapped();
        return;
      }
      working = tick()
        .catch((thrown: unknown) => {
          end();
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        })
        .finally(() => (working = undefined));
    };
    const begin = () =>
      schedule(expression, beat, { timezone: 'UTC', suppressMissedWarning: true, logger: quietly(logger) });
    let task = begin();
    const stopWatching = watchClock((seconds) => {
      logger.info({ seconds }, 'The clock was set; the schedule uses the new time.');
      void task.destroy();
      task = begin();
    });
    const end = () => {
      stopWatching();
      void task.destroy();
    };
    signal.addEventListener(
      'abort',
      () => {
        end();
        // A tick that aborts before its first await is not assigned to `working` yet.
        void Promise.resolve()
          .then(() => working)
          .then(() => resolve());
      },
      { once: true },
    );
  });

/** Mostly comes before node-cron, which would look at each time that a clock set forward has left out. */
const watchEveryMs = 250;
/** A clock that is a little wrong is corrected in small steps, or slowly. */
const toleratedMs = 2_000;

/**
 * Calls `changed` when the clock was set, or when the machine slept.
 *
 * @returns stops watching
 */
function watchClock(changed: (seconds: number) => void): () => void {
  const distanceMs = () => Date.now() - performance.now();
  let lastMs = distanceMs();
  const timer = setInterval(() => {
    const nowMs = distanceMs();
    const byMs = nowMs - lastMs;
    lastMs = nowMs;
    if (Math.abs(byMs) > toleratedMs) changed(Math.round(byMs / 1000));
  }, watchEveryMs);
  return () => clearInterval(timer);
}

/** node-cron would write coloured lines to the console; its messages do not help the operator. */
function quietly(logger: Logger) {
  const debug = (message: string | Error) => {
    logger.debug(message instanceof Error ? message.message : message);
  };
  return { info: debug, warn: debug, error: debug, debug };
}
