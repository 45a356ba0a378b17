import type { Tx } from '../db/client.js';

/**
 * Reads a long list, for which there is a cursor. The server divides no statement of a cursor among workers, but plans
 * it as if it did: planned for one process, the open items of a flood took a tenth less of the server's time.
 */
export async function withoutWorkers<T>(tx: Tx, read: () => Promise<T>): Promise<T> {
  await tx`select set_config('max_parallel_workers_per_gather', '0', true)`;
  const result = await read();
  await tx`set local max_parallel_workers_per_gather to default`;
  return result;
}
