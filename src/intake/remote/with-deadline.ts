/** Thrown by the waits below; the caller says in its own words what was waited for. */
export class DeadlineExceeded extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`);
  }
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
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(ms)), ms);
    abort = () => reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
  // The loser of the race must not become an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    if (abort !== undefined) signal?.removeEventListener('abort', abort);
  }
}

/**
 * A watchdog over a transfer: `lost` resolves to the failure when no progress was made for `stallMs`, or the
 * whole took longer than `totalMs`. Keepalives of the protocol do not notice a server process that stopped.
 */
export function watchProgress(
  stallMs: number,
  totalMs: number,
): { progress(): void; lost: Promise<never>; end(): void } {
  let fail: (error: Error) => void = () => undefined;
  const lost = new Promise<never>((_, reject) => (fail = reject));
  lost.catch(() => undefined);
  const stall = () => setTimeout(() => fail(new DeadlineExceeded(stallMs)), stallMs);
  let stalled = stall();
  const total = setTimeout(() => fail(new DeadlineExceeded(totalMs)), totalMs);
  return {
    progress: () => {
      clearTimeout(stalled);
      stalled = stall();
    },
    lost,
    end: () => {
      clearTimeout(stalled);
      clearTimeout(total);
    },
  };
}
