import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copyIn, copyOut } from '../../src/db/copy.js';
import type { Sql, Tx } from '../../src/db/client.js';
import { fencedTransactions, type Transact } from '../../src/db/fence.js';
import { databaseForAllTests } from '../support/database.js';
import { runId } from '../../src/values/ids.js';

const testDatabase = databaseForAllTests();
let sql: Sql;
let transact: Transact;

beforeAll(async () => {
  sql = testDatabase.database.sql;
  ({ transact } = fencedTransactions(testDatabase.database, { runId: runId(1), token: 0n }));
  await sql`create table target (a text, n int)`;
});
beforeEach(() => sql`truncate target`);

const intoTarget = 'copy target (a, n) from stdin';

async function* lines(count: number, bad = -1): AsyncGenerator<string> {
  for (let index = 0; index < count; index += 1) {
    yield index === bad ? `row ${index}\tnot a number\n` : `row ${index}\t${index}\n`;
    if (index % 10_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const counted = async () => (await sql<{ n: number }[]>`select count(*)::int as n from target`)[0]?.n;

/** Checks that no connection is left in the middle of a transaction. */
async function expectNobodyStuck(): Promise<void> {
  const stuck =
    await sql`select state from pg_stat_activity where datname = current_database() and state like 'idle in%'`;
  expect(stuck).toEqual([]);
}

async function within<T>(seconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished within ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

describe('into the database', () => {
  test('stores every row, and the transaction continues', async () => {
    await transact(async (tx) => {
      await copyIn(tx, intoTarget, lines(200_000));
      await tx`insert into target values ('last', -1)`;
    });
    expect(await counted()).toBe(200_001);
  });

  test('a source may write into the bytes of a piece again once the second piece after it is asked for', async () => {
    const rooms = [Buffer.alloc(250_000), Buffer.alloc(250_000)];
    // Large pieces are sent as they are, small ones are collected.
    const sizes = [250_000, 250_000, 40, 90, 250_000, 190_000, 250_000, 250_000, 30];
    const rows: string[] = [];
    // An async generator is what a COPY takes.
    // eslint-disable-next-line @typescript-eslint/require-await
    async function* reusing(): AsyncGenerator<Buffer> {
      for (const [index, size] of sizes.entries()) {
        const text = `${String(index).repeat(size - 3)}\t${index}\n`;
        rows.push(text.slice(0, -3));
        const room = rooms[index % 2] ?? Buffer.alloc(size);
        room.fill('!');
        yield room.subarray(0, room.write(text));
      }
    }
    await transact((tx) => copyIn(tx, intoTarget, reusing()));
    const stored = await sql<{ a: string }[]>`select a from target order by n`;
    expect(stored.map(({ a }) => a === rows[Number(a[0])] && a.length)).toEqual(
      sizes.map((size) => size - 3),
    );
  });

  test('accepts bytes, text and an empty source', async () => {
    await transact((tx) => copyIn(tx, intoTarget, Readable.from([Buffer.from('a\t1\nb'), '\t2\n'])));
    await transact((tx) => copyIn(tx, intoTarget, Readable.from([])));
    expect(await counted()).toBe(2);
  });

  test.each([
    ['in the only row', 1, 0],
    ['in the first of many rows', 500_000, 0],
    ['in the last of many rows', 500_000, 499_999],
  ])('a bad value %s is reported immediately and undoes everything', async (_where, count, bad) => {
    const failed = transact(async (tx) => {
      await tx`insert into target values ('before', 0)`;
      await copyIn(tx, intoTarget, lines(count, bad));
    });
    await expect(within(8, failed)).rejects.toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.stringContaining('22P02') as string,
    });
    expect(await counted()).toBe(0);
    await expectNobodyStuck();
  });

  test('a statement that the server refuses is an error', async () => {
    const failed = transact((tx) => copyIn(tx, 'copy nowhere from stdin', lines(10)));
    await expect(within(5, failed)).rejects.toMatchObject({ code: 'DATABASE_SCHEMA' });
  });

  test('a violation found at the very end is an error', async () => {
    await sql`create table keyed (a text, n int unique deferrable initially immediate)`;
    const failed = transact((tx) => copyIn(tx, 'copy keyed from stdin', Readable.from(['a\t1\n', 'b\t1\n'])));
    await expect(within(5, failed)).rejects.toMatchObject({
      message: expect.stringContaining('23505') as string,
    });
  });

  test.each([0, 3, 150_000])(
    'the error of a source that fails after %i rows is thrown, and everything is undone',
    async (rows) => {
      const failure = new Error('the file is broken');
      const failed = transact((tx) =>
        copyIn(
          tx,
          intoTarget,
          (async function* () {
            yield* lines(rows);
            throw failure;
          })(),
        ),
      );
      await expect(within(8, failed)).rejects.toBe(failure);
      expect(await counted()).toBe(0);
      await expectNobodyStuck();
    },
  );

  test('a refusal is reported although the source is stuck', async () => {
    const failed = transact((tx) =>
      copyIn(
        tx,
        intoTarget,
        (async function* () {
          yield* lines(50_000, 3);
          await new Promise(() => undefined);
        })(),
      ),
    );
    await expect(within(8, failed)).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
  });

  test.each([
    ['while rows flow', 400_000],
    ['while waiting for the source', 10],
  ])('a connection killed %s is an error within seconds', async (_when, rows) => {
    let pid = 0;
    const failed = transact(async (tx) => {
      [{ pid } = { pid: 0 }] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await copyIn(
        tx,
        intoTarget,
        (async function* () {
          yield* lines(rows);
          await sql`select pg_terminate_backend(${pid}::int, 5000)`;
          await new Promise((resolve) => setTimeout(resolve, 100));
          yield* lines(rows);
        })(),
      );
    });
    await expect(within(8, failed)).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await counted()).toBe(0);
    await transact((tx) => copyIn(tx, intoTarget, lines(5)));
    expect(await counted()).toBe(5);
  });

  test('the source is read no faster than the server accepts data', async () => {
    let read = 0;
    await sql`create table slow (a text)`;
    await sql`create function wait_a_little() returns trigger language plpgsql as $$ begin perform pg_sleep(0.02); return new; end $$`;
    await sql`create trigger wait_a_little before insert on slow for each row execute function wait_a_little()`;
    const controller = new AbortController();
    const failed = transact((tx) =>
      copyIn(
        tx,
        'copy slow from stdin',
        (async function* () {
          const megabyte = Buffer.concat([Buffer.alloc(1_000_000, 97), Buffer.from('\n')]);
          for (; read < 50; read += 1) {
            controller.signal.throwIfAborted();
            await new Promise((resolve) => setImmediate(resolve));
            yield megabyte;
          }
        })(),
      ),
    );
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(failed).rejects.toThrow('enough');
    expect(read).toBeLessThan(40);
  });
});

describe('out of the database', () => {
  const reading = async (tx: Tx, statement: string) => {
    const pieces: Buffer[] = [];
    for await (const piece of await copyOut(tx, statement)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };

  test('returns the stored rows, whatever the chunk sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 200 })),
        fc.integer({ min: 1, max: 50 }),
        async (texts, size) => {
          const escaped = (text: string) =>
            text
              .replace(/\0/g, '')
              .replace(/[\\\n\r\t]/g, (one) => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r' })[one] ?? '\\t');
          const all = Buffer.from(texts.map((text, index) => `${escaped(text)}\t${index}\n`).join(''));
          const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
            all.subarray(index * size, (index + 1) * size),
          );
          await transact(async (tx) => {
            await tx`truncate target`;
            await copyIn(tx, intoTarget, Readable.from(pieces));
            expect(await reading(tx, 'copy (select a, n from target order by n) to stdout')).toBe(
              all.toString(),
            );
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('an error in the middle is thrown to the reader', async () => {
    const failed = transact((tx) =>
      reading(tx, 'copy (select 10 / (5000 - g) from generate_series(1, 10000) g) to stdout'),
    );
    await expect(within(5, failed)).rejects.toMatchObject({
      message: expect.stringContaining('22012') as string,
    });
  });

  test('a reader that stops early does not block the connection', async () => {
    for (let round = 0; round < 10; round += 1) {
      const rows = transact(async (tx) => {
        const statement = "copy (select repeat('x', 1000) from generate_series(1, 50000)) to stdout";
        for await (const _ of await copyOut(tx, statement)) break;
        return tx`select 1 as one`;
      });
      expect(await within(20, rows)).toMatchObject([{ one: 1 }]);
    }
  });

  test('the connection is usable after a result of any size', async () => {
    for (let rows = 10; rows < 4_000; rows += 37) {
      const read = transact(async (tx) => {
        const text = await reading(
          tx,
          `copy (select repeat('x', 100) from generate_series(1, ${rows})) to stdout`,
        );
        return [text.length, await tx`select 1 as one`] as const;
      });
      expect(await within(20, read)).toMatchObject([rows * 101, [{ one: 1 }]]);
    }
  });

  test('a killed connection is reported to the reader', async () => {
    const failed = transact(async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const stream = await copyOut(
        tx,
        "copy (select repeat('x', 1000) from generate_series(1, 500000)) to stdout",
      );
      let pieces = 0;
      for await (const _ of stream) {
        pieces += 1;
        if (pieces === 2) await sql`select pg_terminate_backend(${row?.pid ?? 0}::int)`;
      }
    });
    await expect(within(20, failed)).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
  });
});
