/** How far work goes ahead of those who take its results. */
export interface Ahead {
  /** How many pieces of work are in progress at once. */
  readonly atOnce: () => number;
  /** How many have begun whose result is not taken. */
  readonly begun: number;
}

/**
 * Begins work on each item in order, several at once, and returns the results in that order. With one at once, the next
 * begins when the result before it was taken. When nobody takes the results any more, what has begun is waited for.
 *
 * @param stop ends what has begun
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
    // Its failure is thrown when its turn comes.
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
