import { beforeEach, describe, expect, test } from 'vitest';
import { fencedTransactions, type Fence } from '../../src/db/fence.js';
import { fencedDryRun } from '../../src/db/fenced-dry-run.js';
import type { Sql, Tx } from '../../src/db/client.js';
import { createTestDatabase, databaseForEachTest } from '../support/database.js';
import { runId } from '../../src/values/ids.js';

const testDatabase = databaseForEachTest();
let sql: Sql;
const fence: Fence = { runId: runId(1), token: 7n };

beforeEach(async () => {
  sql = testDatabase.database.sql;
  await sql`update run_fence set token = 7, run_id = 1`;
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function remember(tx: Tx, path: string): Promise<void> {
  await tx`insert into remote_files (source, path, size_bytes, modified_at_ms, sha256) values ('s', ${path}, 1, 1, 'x')`;
}

async function remembered(): Promise<string[]> {
  return (await sql<{ path: string }[]>`select path from remote_files order by path`).map(({ path }) => path);
}

async function pidOf(tx: Tx): Promise<number> {
  const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
}

/** Ends a session as an administrator or a failing server would, and waits until it has ended. */
async function kill(pid: number): Promise<void> {
  await sql`select pg_terminate_backend(${pid}::int, 5000)`;
  await pause(50);
}

describe('the database refuses to write', () => {
  test('outside a transaction that carries the fence', async () => {
    await expect(sql`insert into run_rechecks values (1, 1, 1)`).rejects.toMatchObject({ code: 'RF001' });
    await expect(sql`truncate settlement_records`).rejects.toMatchObject({ code: 'RF001' });
    await expect(sql`delete from discrepancies`).rejects.toMatchObject({ code: 'RF001' });
  });

  test('for a run that was replaced, with an error that says so', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    await transact((tx) => remember(tx, 'before'));
    await sql`update run_fence set token = 8, run_id = 2`;
    await expect(transact((tx) => remember(tx, 'after'))).rejects.toMatchObject({ code: 'RUN_REPLACED' });
    expect(await remembered()).toEqual(['before']);
  });

  test('and a take-over waits for an open transaction', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    let takeOver: Promise<unknown> | undefined;
    const order: string[] = [];
    await transact(async (tx) => {
      await remember(tx, 'under way');
      takeOver = sql`update run_fence set token = 8`.then(() => order.push('taken over'));
      await pause(200);
      order.push('commit');
    });
    await takeOver;
    expect(order).toEqual(['commit', 'taken over']);
    expect(await remembered()).toEqual(['under way']);
  });
});

describe('transactions', () => {
  test('return what the work returns, and commit it', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    expect(await transact(async (tx) => remember(tx, 'a').then(() => [1, 2]))).toEqual([1, 2]);
    expect(await remembered()).toEqual(['a']);
  });

  test('undo everything when the work throws, and throw the same error', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    const own = new Error('own');
    await expect(
      transact(async (tx) => {
        await remember(tx, 'a');
        throw own;
      }),
    ).rejects.toBe(own);
    expect(await remembered()).toEqual([]);
  });

  test('may run at the same time', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    await Promise.all(['a', 'b', 'c'].map((path) => transact((tx) => remember(tx, path))));
    expect(await remembered()).toEqual(['a', 'b', 'c']);
  });

  test('report errors of the database in plain words, without values', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    const failure = await transact((tx) => tx`select ${'4200000000000000x'}::text::bigint`).catch(
      (thrown: unknown) => thrown,
    );
    expect(failure).toMatchObject({ code: 'DATABASE_FAILED' });
    expect(
      JSON.stringify([String(failure), (failure as Error).stack, (failure as Error).cause]),
    ).not.toContain('42000000');
  });

  test('cannot be used after their end', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    const leaked: Tx[] = [];
    await transact(async (tx) => {
      leaked.push(tx);
      await remember(tx, 'a');
    });
    expect(() => leaked[0]?.unsafe('select 1')).toThrow('after its end');
    expect(await remembered()).toEqual(['a']);
  });

  test('are tried again after a deadlock', async () => {
    await sql`create table pair (id int primary key, n int not null)`;
    await sql`insert into pair values (1, 0), (2, 0)`;
    const { transact } = fencedTransactions(testDatabase.database, fence);
    let attempts = 0;
    const both = (first: number, second: number) =>
      transact(async (tx) => {
        attempts += 1;
        await tx`update pair set n = n + 1 where id = ${first}`;
        await pause(150);
        await tx`update pair set n = n + 1 where id = ${second}`;
      });
    await Promise.all([both(1, 2), both(2, 1)]);
    expect((await sql<{ n: number }[]>`select n from pair`).map(({ n }) => n)).toEqual([2, 2]);
    expect(attempts).toBe(3);
  });

  test('savepoints undo only their part', async () => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    await transact(async (tx) => {
      await remember(tx, 'kept');
      await tx
        .savepoint(async (inner) => {
          await remember(inner, 'undone');
          await inner`select 1 / 0`;
        })
        .catch(() => undefined);
      await remember(tx, 'kept too');
    });
    expect(await remembered()).toEqual(['kept', 'kept too']);
  });
});

describe('when the connection is killed', () => {
  // The table of payments has no fence: here only the transaction handle prevents a statement from committing alone.
  const pay = (tx: Tx, id: string) =>
    tx`insert into payments (id, payment_type, amount_minor, currency, result_code, requested_at)
       values (${id}, 'DB', 1, 'EUR', '000.000.000', now())`;

  test.each([
    ['before a statement', async (tx: Tx) => kill(await pidOf(tx)).then(() => remember(tx, 'late'))],
    [
      'before a statement on a table without fence',
      async (tx: Tx) => kill(await pidOf(tx)).then(() => pay(tx, 'late')),
    ],
    ['before the commit', async (tx: Tx) => kill(await pidOf(tx))],
    [
      'during a statement',
      async (tx: Tx) => {
        const pid = await pidOf(tx);
        await Promise.all([tx`select pg_sleep(5)`, kill(pid)]);
      },
    ],
    [
      'in a savepoint',
      async (tx: Tx) => {
        await tx.savepoint(async (inner) => {
          await remember(inner, 'in savepoint');
          await kill(await pidOf(inner));
          await remember(inner, 'late');
        });
      },
    ],
    [
      'and the work continues regardless',
      async (tx: Tx) => {
        await kill(await pidOf(tx));
        for (const path of ['late1', 'late2']) {
          try {
            await remember(tx, path);
            await pay(tx, path);
          } catch {
            // As code that swallows errors would.
          }
          await pause(50);
        }
      },
    ],
  ])('%s, nothing of the transaction is stored and the next one works', async (_when, work) => {
    const { transact } = fencedTransactions(testDatabase.database, fence);
    const failed = transact(async (tx) => {
      await remember(tx, 'early');
      await pay(tx, 'early');
      await work(tx);
    });
    await expect(failed).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    await pause(100);
    expect(await remembered()).toEqual([]);
    expect(await sql`select id from payments`).toEqual([]);
    await transact((tx) => remember(tx, 'next'));
    expect(await remembered()).toEqual(['next']);
  });

  test('during the commit, the outcome is read from the server: undone', async () => {
    // A deferred trigger delays the commit long enough to interrupt it.
    await sql`create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(3); return null; end $$`;
    await sql`create constraint trigger slow after insert on remote_files deferrable initially deferred
      for each row execute function slow()`;
    const { transact } = fencedTransactions(testDatabase.database, fence);
    let pid = 0;
    const failed = transact(async (tx) => {
      pid = await pidOf(tx);
      await remember(tx, 'a');
    });
    setTimeout(() => void kill(pid), 500);
    await expect(failed).rejects.toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.not.stringContaining('unknown') as string,
    });
    expect(await remembered()).toEqual([]);
  });
});

describe('a dry run', () => {
  test('sees its changes and stores nothing', async () => {
    const dry = await fencedDryRun(testDatabase.database, fence);
    await Promise.all([dry.transact((tx) => remember(tx, 'a')), dry.transact((tx) => remember(tx, 'b'))]);
    expect(await dry.transact((tx) => tx`select path from remote_files order by path`)).toMatchObject([
      { path: 'a' },
      { path: 'b' },
    ]);
    expect(await remembered()).toEqual([]);
    await dry.end();
    await dry.end();
    expect(await remembered()).toEqual([]);
  });

  test('undoes a unit that failed and continues', async () => {
    const dry = await fencedDryRun(testDatabase.database, fence);
    await dry.transact((tx) => remember(tx, 'a'));
    await expect(dry.transact((tx) => remember(tx, 'a'))).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    expect(await dry.transact((tx) => tx`select count(*)::int as n from remote_files`)).toMatchObject([
      { n: 1 },
    ]);
    await dry.end();
  });

  test('ends cleanly when its connection is killed', async () => {
    const dry = await fencedDryRun(testDatabase.database, fence);
    const pid = await dry.transact(pidOf);
    await kill(pid);
    await expect(dry.transact((tx) => remember(tx, 'a'))).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    await dry.end();
    expect(await remembered()).toEqual([]);
  });

  test('cannot begin without a database', async () => {
    await testDatabase.database.sql`select 1`;
    const other = await createTestDatabase();
    await other.drop();
    await expect(fencedDryRun(other.database, fence)).rejects.toMatchObject({ name: 'ReconError' });
  });
});
