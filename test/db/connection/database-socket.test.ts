import { expect, test, vi } from 'vitest';
import { readDatabaseUrl } from '../../../src/db/connection/connection-address.js';
import { createClient } from '../../../src/db/connection/create-client.js';
import { databaseForAllTests } from '../../support/database.js';

/** Connections that are lost in the turn of the event loop in which a statement is sent over them. */

const testDatabase = databaseForAllTests();

const sessionName = 'lost-while-sending';

test.each(['disable', 'prefer'] as const)(
  'sslmode %s: the next statement connects again',
  async (sslmode) => {
    const address = readDatabaseUrl(
      `${testDatabase.url}${testDatabase.url.includes('?') ? '&' : '?'}sslmode=${sslmode}`,
    );
    const sql = createClient(address, { max: 1, applicationName: sessionName });
    try {
      for (let round = 0; round < 5; round += 1) {
        await sql`select 1`;
        const lost = sendUntilLost(sql);
        await testDatabase.database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${sessionName}`;
        expect(await lost).toBeInstanceOf(Error);
        // Each statement is answered with its own result, or refused.
        const [row] = await vi.waitFor(() => sql<{ round: number }[]>`select ${round}::int as round`);
        expect(row).toEqual({ round });
      }
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
  120_000,
);

/** Sends a statement in each turn of the event loop until one fails. @returns its error, after all were answered */
async function sendUntilLost(sql: ReturnType<typeof createClient>): Promise<unknown> {
  let failure: unknown;
  const answers: Promise<unknown>[] = [];
  while (failure === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    answers.push(
      sql<{ one: number }[]>`select 1 as one`.then(
        (rows) => expect(rows[0]).toEqual({ one: 1 }),
        (thrown: unknown) => (failure ??= thrown),
      ),
    );
  }
  await Promise.all(answers);
  return failure;
}
