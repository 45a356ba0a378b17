import type { Tx } from './client.js';

/**
 * Looks rows up through indexes. Where statistics are old, or say that nearly all rows have the same value, the planner
 * expects each look-up to find them all, and reads the whole table for each.
 */
export async function withoutTableScans<T>(tx: Tx, lookUp: () => Promise<T>): Promise<T> {
  await tx`set local enable_seqscan to off`;
  const result = await lookUp();
  await tx`set local enable_seqscan to default`;
  return result;
}
