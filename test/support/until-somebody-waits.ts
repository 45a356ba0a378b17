import { expect } from 'vitest';
import { openMigrationSession } from '../../src/db/connect.js';

/**
 * Waits until a session of the database waits for the lock of a table.
 *
 * @param mode of the lock, as `pg_locks` names it; any by default
 */
export async function untilSomebodyWaits(url: string, mode?: string): Promise<void> {
  const session = openMigrationSession(url);
  try {
    await expect
      .poll(
        () => session`
          select from pg_locks where locktype = 'relation' and not granted and mode = coalesce(${mode ?? null}, mode)
            and database = (select oid from pg_database where datname = current_database())`,
        { timeout: 20_000 },
      )
      .not.toHaveLength(0);
  } finally {
    await session.end();
  }
}
