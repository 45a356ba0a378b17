import type { Sql } from './client.js';

/** The advisory lock that a run holds: an arbitrary number that no other program on the same database uses. */
export const runLock = 7_236_501_188;

/**
 * Takes the lock of a run (`src/run/run-lock.ts`) for other work during which nothing may run; it is held until the
 * session ends.
 *
 * @returns whether it was free
 */
export async function tryRunLock(session: Sql): Promise<boolean> {
  const [row] = await session<{ locked: boolean }[]>`select pg_try_advisory_lock(${runLock}) as locked`;
  return row?.locked === true;
}
