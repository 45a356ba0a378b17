/** The database that is copied, or the one that it is copied into; `either` for a step that uses both. */
export type Side = 'old' | 'new' | 'either';

const sides = new WeakMap<object, Side>();

/** Does a step of a move in one of its databases, and notes in its failure which it was. The first note counts. */
export async function inDatabase<Result>(side: Side, work: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Error && !sides.has(thrown)) sides.set(thrown, side);
    throw thrown;
  }
}

/** In which database a move failed; `either` if that is not known. */
export function failedSide(thrown: unknown): Side {
  return (thrown instanceof Error ? sides.get(thrown) : undefined) ?? 'either';
}
