import { afterEach, beforeEach, expect, test } from 'vitest';
import { rejectedRowsTable } from '../../../src/reporting/tables/rejected-rows-table.js';
import { columns } from '../../../src/settlement-file/columns.js';
import { createWorld, due, runScope, type World } from '../world.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.end());

test('the lines of long rows with many issues are handed out in portions', async () => {
  const raw = 'x'.repeat(30_000);
  const issues = columns.map(({ name }) => ({
    column: name,
    code: 'TOO_LONG',
    message: 'Too long.',
    value: 'x',
  }));
  const lines = Array.from({ length: 50 }, () => ({ kind: 'rejected', raw, issues }) as const);
  await world.load({ id: 1, name: 'long.csv', lines });
  const sizes = await world.transact(async (tx) => {
    const found: number[] = [];
    for await (const batch of rejectedRowsTable(tx, { scope: runScope, due, files: [] }).rows) {
      const texts = batch.map((cells) => cells[7]).filter((text) => typeof text === 'string');
      found.push(texts.reduce((sum, text) => sum + text.length, 0));
    }
    return found;
  });
  expect(sizes.reduce((sum, size) => sum + size)).toBe(lines.length * issues.length * raw.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(300 * 1024);
});

test('a long row of emoji is cut between two of them', async () => {
  const raw = `x${'😀'.repeat(30_000)}`;
  const issues = [{ column: 'Descriptor', code: 'TOO_LONG', message: 'Too long.', value: 'x' }];
  await world.load({ id: 1, name: 'emoji.csv', lines: [{ kind: 'rejected', raw, issues }] });
  const [rawLine] = await world.transact(async (tx) => {
    const found: unknown[] = [];
    for await (const batch of rejectedRowsTable(tx, { scope: runScope, due, files: [] }).rows)
      found.push(...batch.map((cells) => cells[7]));
    return found;
  });
  // A spreadsheet holds 32,767 UTF-16 units in a cell, and one of these emoji has two.
  expect(rawLine).toBe(`x${'😀'.repeat(16_382)}…`);
});
