import type { Tx } from '../db/client.js';

/** Sets the time zone for the work and restores it afterwards: a dry run continues in the same transaction. */
export async function inTimeZone<T>(tx: Tx, timezone: string, work: () => Promise<T>): Promise<T> {
  const [before] = await tx<{ zone: string }[]>`select current_setting('TimeZone') as zone`;
  await tx`select set_config('TimeZone', ${timezone}, true)`;
  const result = await work();
  await tx`select set_config('TimeZone', ${before?.zone ?? 'UTC'}, true)`;
  return result;
}
