import { describe, expect, test } from 'vitest';
import type { Sql } from '../../../src/db/client.js';
import { isConnectionLoss } from '../../../src/db/database-errors.js';
import { openDatabase } from '../../../src/db/connect.js';
import { createLogger } from '../../../src/logger.js';
import { databaseForAllTests } from '../../support/database.js';

const testDatabase = databaseForAllTests();

const five = [1, 2, 3, 4, 5];

/** Fails at the fourth row, when three have been sent. */
const failing = (sql: Sql) => sql`select 1 / (4 - n) from generate_series(1, 10) n`.catch(() => undefined);

/** The server ends the session when three rows have been sent. */
const lost = (sql: Sql) =>
  sql`
    select n, case when n = 4 then pg_terminate_backend(pg_backend_pid()) end, pg_sleep(0.01 * (n / 4))
    from generate_series(1, 10) n`.catch(() => undefined);

const reads: readonly (readonly [string, (sql: Sql) => Promise<readonly unknown[]>])[] = [
  [
    'rows',
    async (sql) => (await sql<{ n: number }[]>`select n from generate_series(1, 5) n`).map(({ n }) => n),
  ],
  [
    'values',
    async (sql) =>
      (await sql<{ n: number }[]>`select n from generate_series(1, 5) n`.values()).map(([n]) => n),
  ],
  [
    'a cursor',
    async (sql) => {
      const found: unknown[] = [];
      for await (const batch of sql<{ n: number }[]>`select n from generate_series(1, 5) n`.cursor(2)) {
        found.push(...batch.map(({ n }) => n));
      }
      return found;
    },
  ],
  [
    'several statements',
    async (sql) => {
      const [rows] = await sql
        .unsafe<{ n: number }[][]>('select n from generate_series(1, 5) n; select 1')
        .simple();
      return (rows ?? []).map(({ n }) => n);
    },
  ],
  [
    'a transaction',
    (sql) =>
      sql.begin(async (tx) =>
        (await tx<{ n: number }[]>`select n from generate_series(1, 5) n`).map(({ n }) => n),
      ),
  ],
  [
    'a changed row',
    async (sql) =>
      (await sql<{ n: number }[]>`insert into numbers select generate_series(1, 5) returning n`).map(
        ({ n }) => n,
      ),
  ],
];

describe.each([
  ['a statement failed after some of its rows', failing],
  ['a connection was lost in the middle of a result', lost],
])('after %s', (_what, fail) => {
  test.each(reads)('the next result on the connection is whole: %s', async (_kind, read) => {
    const database = await openDatabase(
      { url: testDatabase.url },
      { logger: createLogger({ level: 'silent' }) },
    );
    try {
      await database.sql`create table if not exists numbers (n int)`;
      // Each of the connections of the pool.
      await Promise.all([fail(database.sql), fail(database.sql), fail(database.sql), fail(database.sql)]);
      const found = await Promise.all(Array.from({ length: 8 }, () => answered(() => read(database.sql))));
      expect(found).toEqual(Array.from({ length: 8 }, () => five));
    } finally {
      await database.close();
    }
  });
});

/** The driver reports the end of a connection for the next statement on it too. */
async function answered<T>(read: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await read();
    } catch (thrown) {
      if (failures === 8 || !isConnectionLoss(thrown)) throw thrown;
    }
  }
}

test('results without rows, and results of every size, stay as they are', async () => {
  const { sql } = testDatabase.database;
  expect(await sql`select 1 where false`).toHaveLength(0);
  expect(
    (await sql.unsafe('select 1 as n; select 2 as n').simple()).map((rows) => (rows as unknown[])[0]),
  ).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await sql`select null as n`).toMatchObject([{ n: null }]);
});
