import { afterEach, beforeEach, expect, test } from 'vitest';
import { correctionsTable } from '../../../src/reporting/tables/corrections-table.js';
import { createWorld, type World } from '../world.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.end());

test('has long rows whole, and hands out a few of them at a time', async () => {
  const issues = [{ column: null, code: 'COLUMN_COUNT', message: 'It has 2 columns, not 36.', value: null }];
  const beginnings = ['\u001d', '\u001c', 'é', 'x'];
  const raws = Array.from(
    { length: 40 },
    (_, n) => `${beginnings[n % 4] ?? ''}${'é'.repeat(25_000)};end ${n}`,
  );
  const lines = raws.map((raw) => ({ kind: 'rejected', raw, issues }) as const);
  await world.load({ id: 1, name: 'long.csv', lines });
  const batches = await world.transact(async (tx) => {
    const found: string[][] = [];
    for await (const batch of correctionsTable(tx).rows) {
      const cells = batch.map((row) => (typeof row === 'string' ? [] : row.slice(0, 2)));
      found.push(cells.map((two) => two.map((cell) => (typeof cell === 'string' ? cell : '')).join(';')));
    }
    return found;
  });
  expect(batches.flat()).toEqual(raws);
  expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThan(12);
});
