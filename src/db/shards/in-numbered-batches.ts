import type { Fragment, Tx } from '../client.js';

/** How many rows one question to a shard has: each shard reads them as one text. */
const batchSize = 20_000;

/**
 * Does something with the rows of a table, so many at a time: they have a `number` from 1 on.
 *
 * @param work gets the condition that the rows of the batch fulfil
 */
export async function inNumberedBatches(
  tx: Tx,
  table: string,
  work: (batch: Fragment) => Promise<void>,
): Promise<void> {
  const [row] = await tx<{ count: number }[]>`select count(*)::int as count from ${tx(table)}`;
  for (let first = 1; first <= (row?.count ?? 0); first += batchSize)
    await work(tx`number between ${first} and ${first + batchSize - 1}`);
}
