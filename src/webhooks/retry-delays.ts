const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The waits after the first failures of a webhook (design 10); after them it is tried once a day. */
const waitsMs = [1, 2, 4, 8, 15, 30, 60].map((minutes) => minutes * minuteMs);

/** No attempt is planned for later than this after the one before. */
export const longestWaitMs = dayMs;

/** A notification that waits longer is given up: the seven waits, and thirty days of daily attempts. */
export const giveUpAfterMs = waitsMs.reduce((sum, wait) => sum + wait, 0) + 30 * dayMs;

/**
 * How many failures the waits follow. A receiver that says when it will be ready is there: one that limits its requests
 * to some for each minute would otherwise be tried only once a day after eight of them.
 *
 * @param failures before this one
 */
export function countFailures(failures: number, retryAfterMs: number | null): number {
  return retryAfterMs === null ? failures + 1 : Math.max(failures, 1);
}

/**
 * How long to wait after an attempt that failed.
 *
 * @param failures what {@link countFailures} returned for it
 * @param retryAfterMs what the receiver asked for, which replaces the wait; from a second to a day
 */
export function waitAfterFailure(failures: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return Math.min(Math.max(retryAfterMs, 1000), longestWaitMs);
  return waitsMs[failures - 1] ?? longestWaitMs;
}

/**
 * Reads `Retry-After`: seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds from `now`; null when the header is missing or cannot be read
 */
export function readRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse would accept almost any text that holds a number.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? null : Math.max(0, moment - now);
}
