import { ReconError } from '../errors.js';

/** How many requests may wait for their turn; a person has a handful. */
const mostWaiting = 200;

/**
 * Does a piece of work when its turn comes.
 *
 * @param isAwaited whether somebody still waits for the result; asked once, when the turn comes
 * @throws ReconError REVIEW_BUSY when too many wait, USAGE_INVALID when nobody waits for the result any more
 */
export type InTurn = <T>(work: () => Promise<T>, isAwaited: () => boolean) => Promise<T>;

/**
 * Runs pieces of work, at most `limit` of them at once; the others wait in order. Each piece may open a connection to
 * the database, so this bounds their number. What nobody waits for any more is left out: a person who types into a
 * search leaves several requests behind, and the last one would wait for the results of all of them.
 */
export function limitConcurrency(limit: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work, isAwaited) => {
    if (running >= limit) {
      if (waiting.length >= mostWaiting) {
        throw new ReconError('REVIEW_BUSY', 'Too many requests are waiting for the database.');
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      if (!isAwaited())
        throw new ReconError('USAGE_INVALID', 'The request was given up before its turn came.');
      return await work();
    } finally {
      const next = waiting.shift();
      // The next one takes this place, so the number of those that run stays.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
