/** How far the work may be ahead of the taking of its results. */
export interface Ahead {
  /** How many pieces of work are in progress at once. */
  readonly atOnce: () => number;
  /** How many may have begun without their result being taken. */
  readonly begun: number;
}

/**
 * Begins work on each item in order, several at once, and returns the results in that order. With one at once, each
 * begins when the result before it was taken. When nobody takes the results any more, this waits for the work that has
 * begun.
 *
 * @param stop ends the work that has begun
 */
export async function* inOrder<Item extends object | string | number, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { atOnce, begun }: Ahead,
  stop: () => Promise<void>,
): AsyncGenerator<Result> {
  const results: Promise<Result>[] = [];
  let next = 0;
  let inProgress = 0;
  const fill = (): void => {
    while (!hasEnded && inProgress < atOnce() && results.length < (atOnce() === 1 ? 1 : begun)) {
      const [item] = items.slice(next, next + 1);
      if (item === undefined) return;
      next += 1;
      inProgress += 1;
      results.push(start(item));
    }
  };
  const start = (item: Item): Promise<Result> => {
    const result = work(item).finally(() => {
      inProgress -= 1;
      fill();
    });
    // A failure is thrown when its turn comes.
    result.catch(() => undefined);
    return result;
  };
  let hasEnded = false;
  try {
    for (;;) {
      fill();
      const [first] = results;
      if (first === undefined) return;
      const result = await first;
      void results.shift();
      yield result;
    }
  } finally {
    hasEnded = true;
    if (results.length > 0) {
      await stop();
      await Promise.allSettled(results);
    }
  }
}
