import { describe, expect, test } from 'vitest';
import pino from 'pino';
import type { Sql, Tx } from '../../../src/db/client.js';
import { openDatabase } from '../../../src/db/connect.js';
import { inTransaction } from '../../../src/payment-core/core/transactions.js';
import { administer, databaseForAllTests } from '../../support/database.js';
import { startDatabaseProxy, type Cut } from '../../support/database-proxy.js';

const testDatabase = databaseForAllTests();

/** As any statement of the core: it knows nothing about connections. */
const insert = (tx: Tx, id: string) => tx`
  insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
  values (${id}, 'DB', 100, 'EUR', '000.000.000', '2026-11-18T10:00:00Z')`;

const stored = async () =>
  (await testDatabase.database.sql<{ id: string }[]>`select id from payments order by id`).map(
    ({ id }) => id,
  );

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function pidOf(tx: Tx): Promise<number> {
  const [backend] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return backend?.pid ?? 0;
}

const kill = (pid: number) => administer(`select pg_terminate_backend(${pid}, 5000)`);

describe('a transaction of the core', () => {
  test('stores all or nothing', async () => {
    await inTransaction(testDatabase.database.sql, (tx) => insert(tx, 'one'));
    const failed = inTransaction(testDatabase.database.sql, async (tx) => {
      await insert(tx, 'two');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await stored()).toEqual(['one']);
  });

  test('cannot be used after its end', async () => {
    const leaked: Tx[] = [];
    await inTransaction(testDatabase.database.sql, (tx) => Promise.resolve(leaked.push(tx)));
    expect(() => leaked[0]?.unsafe('select 1')).toThrow('after its end');
  });

  test('runs again after a deadlock', async () => {
    const { sql } = testDatabase.database;
    await sql`create table pair (id int primary key, n int not null)`;
    await sql`insert into pair values (1, 0), (2, 0)`;
    let attempts = 0;
    let holding = 0;
    let bothHold: () => void;
    const untilBothHold = new Promise<void>((resolve) => (bothHold = resolve));
    const both = (first: number, second: number) =>
      inTransaction(sql, async (tx) => {
        attempts += 1;
        await tx`update pair set n = n + 1 where id = ${first}`;
        holding += 1;
        if (holding === 2) bothHold();
        await untilBothHold;
        await tx`update pair set n = n + 1 where id = ${second}`;
      });
    await Promise.all([both(1, 2), both(2, 1)]);
    expect((await sql<{ n: number }[]>`select n from pair`).map(({ n }) => n)).toEqual([2, 2]);
    expect(attempts).toBe(3);
  });

  test('gives its connection back when its work failed because of another connection', async () => {
    const elsewhere = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
    // More often than the pool has connections.
    for (let times = 0; times < 6; times += 1) {
      const failed = inTransaction(testDatabase.database.sql, async (tx) => {
        await insert(tx, 'elsewhere');
        throw elsewhere;
      });
      await expect(failed).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    }
    await inTransaction(testDatabase.database.sql, (tx) => tx`select 1`);
    expect(await stored()).not.toContain('elsewhere');
  });
});

describe('a transaction of the core whose connection dies', () => {
  test.each([
    ['before a statement', async (tx: Tx) => kill(await pidOf(tx)).then(() => insert(tx, 'late'))],
    ['before its end', async (tx: Tx) => kill(await pidOf(tx))],
    [
      'during a statement',
      async (tx: Tx) => {
        const pid = await pidOf(tx);
        await Promise.all([tx`select pg_sleep(5)`, kill(pid)]);
      },
    ],
    [
      'during a statement, and its work goes on at once',
      async (tx: Tx) => {
        const pid = await pidOf(tx);
        const killed = kill(pid);
        for (const id of ['late1', 'late2', 'late3']) {
          try {
            await tx`select pg_sleep(5)`;
          } catch {
            // As code that swallows errors would.
          }
          try {
            await insert(tx, id);
          } catch {
            // The same.
          }
        }
        await killed;
      },
    ],
    [
      'in a savepoint, and its work goes on',
      async (tx: Tx) => {
        await tx.savepoint(async (inner) => {
          await kill(await pidOf(inner));
          await insert(inner, 'late').catch(() => undefined);
        });
        await insert(tx, 'later');
      },
    ],
    [
      'and its work goes on while others use the pool',
      async (tx: Tx) => {
        await kill(await pidOf(tx));
        for (const id of ['late1', 'late2', 'late3']) {
          // The pool opens connections again: the driver would send the statement on one of them.
          await Promise.all(
            Array.from({ length: 8 }, () => testDatabase.database.sql`select pg_sleep(0.02)`),
          );
          try {
            await insert(tx, id);
          } catch {
            // As code that swallows errors would.
          }
        }
      },
    ],
  ])('%s stores nothing, says so, and the pool goes on', async (_when, work) => {
    const before = await stored();
    let worked: Promise<unknown> = Promise.resolve();
    const lost = inTransaction(testDatabase.database.sql, async (tx) => {
      await insert(tx, 'early');
      worked = work(tx);
      await worked;
    });
    await expect(lost).rejects.toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.not.stringContaining('unknown') as string,
    });
    // The caller has its answer; what the work still does must not be stored either.
    await Promise.race([worked.catch(() => undefined), pause(1000)]);
    await Promise.all(
      Array.from({ length: 8 }, () =>
        inTransaction(testDatabase.database.sql, (tx) => tx`select pg_sleep(0.02)`),
      ),
    );
    expect(await stored()).toEqual(before);
  });

  test('among many at once: exactly those are stored that say so', { timeout: 60_000 }, async () => {
    const before = await stored();
    const { sql } = testDatabase.database;
    const over = new AbortController();
    const killing = (async () => {
      while (!over.signal.aborted) {
        await administer(
          `select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = '${testDatabase.name}'
             and application_name = 'recon test' order by random() limit 1) as one`,
        );
        await pause(15);
      }
    })();
    const said: string[] = [];
    const unknown = new Set<string>();
    const work = async (worker: number) => {
      for (let n = 0; n < 40; n += 1) {
        const id = `many-${worker}-${n}`;
        try {
          await inTransaction(sql, async (tx) => {
            await insert(tx, `${id}-a`);
            await tx`select pg_sleep(0.002)`;
            await insert(tx, `${id}-b`);
          });
          said.push(`${id}-a`, `${id}-b`);
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'ReconError' });
          if (String(thrown).includes('unknown')) unknown.add(id);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
    over.abort();
    await killing;
    // The last connection that was ended may still be in the pool.
    const now = (await stored().catch(stored)).filter(
      (id) => !before.includes(id) && !unknown.has(id.replace(/-[ab]$/, '')),
    );
    expect(now).toEqual(said.sort());
    expect(said.length).toBeGreaterThan(0);
    expect(said.length).toBeLessThan(640);
  });
});

describe('a transaction of the core whose COMMIT gets no answer', () => {
  /** @param others connections of the pool that are there before the transaction */
  async function cutAtCommit(id: string, cut: Cut, others: boolean): Promise<unknown> {
    let armed = false;
    const proxy = await startDatabaseProxy(testDatabase.url, (statement) =>
      armed && /^commit$/i.test(statement) ? cut : undefined,
    );
    const database = await openDatabase({ url: proxy.url }, { logger: pino({ enabled: false }) });
    try {
      if (others) await sleepOnAll(database.sql);
      armed = true;
      return await inTransaction(database.sql, async (tx) => {
        await insert(tx, id);
        return 'done';
      }).catch((thrown: unknown) => thrown);
    } finally {
      await proxy.close();
      // The driver would wait for the answer that never came.
      await database.sql.end({ timeout: 0 });
      await database.close();
    }
  }

  const sleepOnAll = (sql: Sql) => Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.2)`));

  test('is stored when the database says so', async () => {
    expect(await cutAtCommit('answer lost', 'answer lost', true)).toBe('done');
    expect(await stored()).toContain('answer lost');
  });

  test('is not stored when COMMIT never arrived', async () => {
    const failure = await cutAtCommit('unsent', 'unsent', true);
    expect(failure).toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.not.stringContaining('unknown') as string,
    });
    expect(await stored()).not.toContain('unsent');
  });

  test('is unknown when no connection is older than the transaction', async () => {
    expect(await cutAtCommit('outcome unknown', 'answer lost', false)).toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.stringContaining('unknown') as string,
    });
  });
});
