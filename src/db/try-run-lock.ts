import type { Sql } from './client.js';

/** The lock that a run holds (`src/run/run-lock.ts`). */
const runLock = 7_236_501_188;

/**
 * Takes the lock of a run for other work during which nothing may run; it is held until the session ends.
 *
 * @returns whether it was free
 */
export async function tryRunLock(session: Sql): Promise<boolean> {
  const [row] = await session<{ locked: boolean }[]>`select pg_try_advisory_lock(${runLock}) as locked`;
  return row?.locked === true;
}
