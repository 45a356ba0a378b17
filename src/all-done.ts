/**
 * Waits for all even if one fails, because nothing may use a transaction after its end. If several fail, the failure
 * that came first counts: the others are often its consequence.
 *
 * @returns the results in the given order, as `Promise.all` does
 */
export async function allDone<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  const all = Promise.all(promises);
  await Promise.allSettled([...promises, all]);
  return all;
}
