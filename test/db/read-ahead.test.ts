import { describe, expect, test } from 'vitest';
import { readAhead } from '../../src/db/read-ahead.js';
import { databaseForAllTests } from '../support/database.js';

const testDatabase = databaseForAllTests();

const numbers = (upTo: number) =>
  testDatabase.database.sql<{ n: number }[]>`
  select n, 100 / (case n when 777 then 0 else 1 end) from generate_series(1, ${upTo}::int) n`.cursor(10);

describe('batches read ahead', () => {
  test.each([0, 1, 10, 11, 250])('of %i rows are those of the cursor, in their order', async (rows) => {
    const seen: number[] = [];
    for await (const batch of readAhead(numbers(rows))) seen.push(...batch.map(({ n }) => n));
    expect(seen).toEqual(Array.from({ length: rows }, (_, index) => index + 1));
  });

  test('ask for the next batch before the last one is used', async () => {
    const steps: string[] = [];
    const batches = async function* () {
      for (const n of [1, 2, 3]) {
        steps.push(`read ${n}`);
        yield await Promise.resolve(n);
      }
    };
    for await (const n of readAhead(batches())) {
      await new Promise(setImmediate);
      steps.push(`used ${n}`);
    }
    expect(steps).toEqual(['read 1', 'read 2', 'used 1', 'read 3', 'used 2', 'used 3']);
  });

  test('a reader that stops early gets its connection back', async () => {
    await testDatabase.database.sql.begin(async (tx) => {
      const cursor = tx<{ n: number }[]>`select n from generate_series(1, 1000) n`.cursor(10);
      for await (const [first] of readAhead(cursor)) if (first?.n === 31) break;
      expect([...(await tx`select 1 as one`)]).toEqual([{ one: 1 }]);
    });
  });

  test('a failure of the server reaches the reader after the batches before it', async () => {
    const seen: number[] = [];
    const read = async () => {
      for await (const batch of readAhead(numbers(1000))) seen.push(batch.length);
    };
    await expect(read()).rejects.toThrow('division by zero');
    expect(seen).toHaveLength(77);
  });
});
