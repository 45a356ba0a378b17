import type { ReconError } from '../errors.js';
import { interruption } from '../interruption.js';

/** Thrown when a wait below takes too long; the caller's message says what it waited for. */
export class DeadlineExceeded extends Error {}

/** The error with which a transfer ends because its signal was aborted. */
export function fetchInterruption(signal: AbortSignal): ReconError {
  return interruption(signal, 'Fetching was interrupted; files that had arrived completely are kept.');
}

/**
 * Waits for `work`, but no longer than `ms`, and no longer than the signal allows. The caller must end the abandoned
 * work (destroy its socket): a promise cannot be cancelled.
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: Promise<T>,
): Promise<T> {
  // If the deadline is first, a later failure of the work must not become an unhandled rejection.
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
  /** Race it once for the whole work: each race costs memory for as long as the promise is pending. */
  readonly lost: Promise<never>;
  end(): void;
}

/**
 * A watchdog over a transfer: `lost` rejects when no progress was made for `stallMs`, when the whole takes
 * longer than `totalMs`, or when the signal is aborted. Keepalives of the protocol do not detect a server
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
  const abort = () => signal !== undefined && fail(fetchInterruption(signal));
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
