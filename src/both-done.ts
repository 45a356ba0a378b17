/**
 * Waits for both even if one fails, because nothing may use a transaction after its end. If both fail, the failure that
 * came first counts: the other is often its consequence.
 */
export async function bothDone<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  const both = Promise.all([one, other]);
  await Promise.allSettled([one, other, both]);
  return both;
}
