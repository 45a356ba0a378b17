import { ReconError } from '../errors.js';

/** Thrown by the waits below; the caller says in its own words what was waited for. */
export class DeadlineExceeded extends Error {}

/** Why a signal was aborted, as an error: a lost lock brings its own, a person's Ctrl-C none. */
export function interruption(signal: AbortSignal): ReconError {
  return signal.reason instanceof ReconError
    ? signal.reason
    : new ReconError('RUN_INTERRUPTED', 'Fetching was interrupted; what had arrived whole is kept.');
}

/**
 * Waits for `work`, but no longer than `ms`, and no longer than the signal allows. What is left behind must
 * be ended by the caller (a socket destroyed): a promise cannot be cancelled.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: Promise<T>,
): Promise<T> {
  // The loser of the race must not become an unhandled rejection.
  work.catch(() => undefined);
  const watch = watchProgress(ms, ms, signal);
  try {
    return await Promise.race([work, watch.lost]);
  } finally {
    watch.end();
  }
}

/** A watchdog: `lost` rejects when there was no progress for too long, or the signal was aborted. */
export interface Watch {
  progress(): void;
  /** To be raced once for the whole work: each race with it costs memory for as long as it is pending. */
  readonly lost: Promise<never>;
  end(): void;
}

/**
 * A watchdog over a transfer: `lost` rejects when no progress was made for `stallMs`, when the whole takes
 * longer than `totalMs`, or when the signal is aborted. Keepalives of the protocol do not notice a server
 * process that stopped.
 */
export function watchProgress(stallMs: number, totalMs: number, signal: AbortSignal | undefined): Watch {
  let fail: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (fail = reject));
  lost.catch(() => undefined);
  const seconds = (ms: number) => `${ms / 1000} s`;
  const stalled = setTimeout(
    () => fail(new DeadlineExceeded(`no answer within ${seconds(stallMs)}`)),
    stallMs,
  );
  const total =
    totalMs > stallMs
      ? setTimeout(() => fail(new DeadlineExceeded(`not done within ${seconds(totalMs)}`)), totalMs)
      : undefined;
  const abort = () => signal !== undefined && fail(interruption(signal));
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    progress: () => stalled.refresh(),
    lost,
    end: () => {
      clearTimeout(stalled);
      clearTimeout(total);
      signal?.removeEventListener('abort', abort);
    },
  };
}
