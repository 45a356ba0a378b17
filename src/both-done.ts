/**
 * Waits for both even if one fails, because nothing may use a transaction after its end. If both fail, the failure that
 * came first counts: the other is often its consequence.
 */
export async function bothDone<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  const both = Promise.all([one, other]);
  await Promise.allSettled([one, other, both]);
  return both;
}

/** The same for any number of them; their results are in the given order. */
export async function allDone<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const all = Promise.all(promises);
  await Promise.allSettled([...promises, all]);
  return all;
}
