import pino from 'pino';
import { expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import { openAndMigrate, openMigrationSession } from '../../src/db/connect.js';
import { holdEmbeddedServer } from '../../src/db/embedded/embedded-server.js';
import { createTestDatabase } from '../support/database.js';
import { documentOf, factsOf, prepareNight } from '../support/settlement-night.js';
import { folderForThisTest } from '../support/test-folder.js';
import { startTransactionPooler } from '../support/transaction-pooler.js';

test(
  'F89 a server with too few connections left: exit 5 with the reason, and nothing half done',
  { timeout: 120_000 },
  async () => {
    const directory = folderForThisTest();
    const settings = {
      shared_buffers: '32MB',
      fsync: 'off',
      max_connections: '12',
      max_worker_processes: '2',
    };
    const server = await holdEmbeddedServer(directory, settings);
    const night = prepareNight(server.url);
    const open = async (): Promise<Sql> => {
      const session = openMigrationSession(server.url);
      await session`select 1`;
      return session;
    };
    try {
      await openAndMigrate({ url: server.url }, { logger: pino({ enabled: false }) });
      expect((await night.importPayments()).code).toBe(0);
      const taken: Sql[] = [];
      for (;;) {
        const session = await open().catch(() => undefined);
        if (session === undefined) break;
        taken.push(session);
      }
      expect(taken.length).toBeGreaterThan(6);
      const codes: number[] = [];
      for (let free = 0; !codes.includes(1) && taken.length > 0; free += 1) {
        const ended = await night.run();
        codes.push(ended.code);
        expect([1, 5], `${free} free: ${ended.stdout}`).toContain(ended.code);
        if (ended.code === 5) {
          expect(documentOf(ended).error).toMatchObject({
            code: 'DATABASE_UNREACHABLE',
            message: expect.stringContaining('accepts no more connections: raise max_connections') as string,
          });
        }
        await taken.pop()?.end();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      // Some have too few, and when there are enough the run is complete.
      expect(codes[0]).toBe(5);
      expect(codes.at(-1)).toBe(1);
      const reading = taken[0] ?? (await open());
      const facts = await factsOf(reading);
      expect(facts['files']).toMatchObject([{ status: 'loaded' }, { status: 'loaded' }]);
      expect(facts['running']).toEqual([]);
      await Promise.all([...taken, reading].map((session) => session.end()));
    } finally {
      await server.release();
      night.end();
    }
  },
);

test('F89 a pooler that shares sessions between transactions is refused before anything is locked or written', async () => {
  const own = await createTestDatabase();
  const night = prepareNight(own.url);
  const pooler = await startTransactionPooler(own.url);
  try {
    expect((await night.importPayments()).code).toBe(0);
    const ended = await night.run(pooler.url);
    expect(ended.code).toBe(5);
    expect(documentOf(ended).error).toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining('connection pooler') as string,
    });
    expect(await own.database.sql`select from runs`).toHaveLength(0);
    const locks = await own.database.sql`select from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    expect(locks).toHaveLength(0);
  } finally {
    await pooler.close();
    await own.drop();
    night.end();
  }
});
