import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sendTogether, togetherOn } from '../../src/db/send-together.js';
import { readTogetherOn, type TextRow } from '../../src/db/read-together.js';
import { watchStatements } from '../../src/db/watch-statements.js';
import { openMigrationSession } from '../../src/db/connect.js';
import { createTestDatabase } from '../support/database.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Squares numbers as a statement would: later, all together, and with a failure for each 13. */
function squares() {
  const groups: (readonly number[])[] = [];
  let onTheirWay = 0;
  let most = 0;
  const square = sendTogether(async (calls: readonly number[]) => {
    groups.push(calls);
    onTheirWay += 1;
    most = Math.max(most, onTheirWay);
    for (let turns = 0; turns < calls.length % 3; turns += 1) await turn();
    onTheirWay -= 1;
    if (calls.includes(13)) throw new Error('13 is at fault');
    return calls.map((call) => call * call);
  });
  return { square, groups, mostOnTheirWay: () => most };
}

describe('calls that are sent together', () => {
  test('get their own result or their own failure, whenever they come and whoever fails', async () => {
    const turns = fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 8 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(turns, async (all) => {
        const { square, mostOnTheirWay } = squares();
        const results: Promise<number | string>[] = [];
        for (const calls of all) {
          results.push(...calls.map((call) => square(call).catch((thrown: unknown) => String(thrown))));
          await turn();
        }
        const alone = all.flat().map((call) => (call === 13 ? 'Error: 13 is at fault' : call * call));
        expect(await Promise.all(results)).toEqual(alone);
        if (!all.flat().includes(13)) expect(mostOnTheirWay()).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('in one turn share one statement, and those that come while two are on their way share the next', async () => {
    const { square, groups } = squares();
    const first = [square(1), square(2)];
    await turn();
    const second = [square(3), square(4)];
    await turn();
    const third = [square(5), square(6), square(7)];
    await Promise.all([...first, ...second, ...third]);
    expect(groups).toEqual([
      [1, 2],
      [3, 4],
      [5, 6, 7],
    ]);
  });

  test('are at most 200 in one statement', async () => {
    const { square, groups } = squares();
    await Promise.all(Array.from({ length: 450 }, () => square(2)));
    expect(groups.map((group) => group.length)).toEqual([200, 200, 50]);
  });

  test('all fail when the connection was lost, because it is unknown which were carried out', async () => {
    const lost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
    let sent = 0;
    const call = sendTogether((_calls: readonly number[]) => {
      sent += 1;
      return Promise.reject(lost);
    });
    expect(await Promise.allSettled([call(1), call(2)])).toEqual([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ]);
    expect(sent).toBe(1);
  });
});

test('one value that the server refuses fails only the call that sent it', async () => {
  const world = await createTestDatabase();
  const session = openMigrationSession(world.url);
  try {
    const together = togetherOn(session);
    const numbersOf = async (sql: typeof session, texts: readonly string[]) => {
      const [row] = await sql<{ numbers: number[] }[]>`
        select jsonb_agg(text::int order by place) as numbers
        from jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb) with ordinality as given (text, place)`;
      return row?.numbers ?? [];
    };
    const results = await Promise.allSettled(['1', 'two', '3'].map((text) => together(numbersOf, text)));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'refused'))).toEqual([
      1,
      'refused',
      3,
    ]);
  } finally {
    await session.end();
    await world.drop();
  }
});

test('reads of several kinds share a statement, and one kind that fails does not fail the others', async () => {
  const world = await createTestDatabase();
  const { sql } = world.database;
  try {
    const statements: string[] = [];
    const watched = watchStatements(sql, ({ text }) => statements.push(text));
    const read = readTogetherOn(watched);
    const kind = (name: string, expression: string) => ({
      name,
      value: (given: string) =>
        `(select json_agg(${expression}) from jsonb_array_elements_text(${given}::jsonb) as given (number))`,
      given: (calls: readonly number[]) => JSON.stringify(calls),
      results: (value: unknown) => value as readonly number[],
      one: {
        query: (given: string, columns: string) =>
          `select ${columns} from (select ${given} as number) as given where number::int < 100`,
        columns: ['number', `(${expression})::text`],
        given: String,
        result: (row: TextRow | undefined) => (row === undefined ? -1 : Number(row[1])),
      },
    });
    const doubled = kind('doubled', '2 * number::int');
    const squared = kind('squared', 'number::int * number::int');
    const reciprocal = kind('reciprocal', '1 / number::int');
    expect(
      await Promise.all([read(squared, 3), read(doubled, 3), read(squared, 4), read(doubled, 5)]),
    ).toEqual([9, 6, 16, 10]);
    expect(statements.length).toBe(1);
    // A single read of each kind has a statement with columns, with the same results.
    expect(await Promise.all([read(squared, 6), read(doubled, 100), read(reciprocal, 1)])).toEqual([
      36, -1, 1,
    ]);
    expect(statements.slice(1)).toEqual([expect.stringContaining('left join')]);
    const mixed = await Promise.allSettled([read(squared, 3), read(reciprocal, 0), read(doubled, 4)]);
    expect(mixed.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([9, 'failed', 8]);
    // Whoever reads on the client shares its statements.
    expect(readTogetherOn(watched)).toBe(read);
  } finally {
    await world.drop();
  }
});
