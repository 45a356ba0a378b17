import { ReconError } from '../errors.js';

/** How many requests may wait for their turn; a person has a handful. */
const mostWaiting = 200;

/**
 * Runs pieces of work, at most `limit` of them at once; the others wait in order. Each piece may open a connection to
 * the database, so this bounds their number.
 */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= limit) {
      if (waiting.length >= mostWaiting) {
        throw new ReconError('REVIEW_BUSY', 'Too many requests are waiting for the database.');
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The next one takes this place, so the number of those that run stays.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
