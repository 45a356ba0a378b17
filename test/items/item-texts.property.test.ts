import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../src/db/client.js';
import type { Item } from '../../src/findings/open-item.js';
import { listedItem } from '../../src/items/listed-item.js';
import { everyOpenItem, listItems, readItems } from '../../src/items/list-items.js';
import { databaseForAllTests } from '../support/database.js';
import { plainItem } from '../support/text-items.js';

const testDatabase = databaseForAllTests();
let sql: Sql;

beforeAll(() => {
  sql = testDatabase.database.sql;
});

const view = { asOf: '2026-11-21', timezone: 'UTC' };
const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...Array.from('"\\/\b\f\n\r\t\u001f[]{},:=€ß😀\u2028 a1')),
    maxLength: 12,
  }),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
);
const finding = fc.record({
  text: hostile,
  difference: fc.option(fc.bigInt({ min: -9_223_372_036_854_775_807n, max: 9_223_372_036_854_775_807n })),
  note: fc.option(hostile),
});

async function store(findings: readonly { text: string; difference: bigint | null; note: string | null }[]) {
  await sql.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    for (const [index, { text, difference, note }] of findings.entries()) {
      await tx`insert into discrepancies (id, code, severity, expected, actual, difference_minor, message, first_seen_run)
        values (${`item-${index}`}, 'CHARGEBACK_EXCEEDS_PAYMENT', 'error', ${text}, null, ${difference}, ${text}, 1)`;
      if (note === null) continue;
      await tx`insert into decisions (item, kind, note, basis, author, decided_on, decided_at, origin)
        values (${`item-${index}`}, 'note', ${note}, '', ${text}, '2026-11-20', now(), 'command')`;
    }
  });
}

test('items that come as JSON are those that the driver reads as rows', async () => {
  const findings = fc.sample(finding, { numRuns: 300, seed: 17 });
  await store(findings);
  const read: Item[] = [];
  for await (const batch of readItems(sql, view)) read.push(...batch);
  const { rows } = await listItems(sql, view, everyOpenItem, 1000);
  expect(read).toHaveLength(findings.length);
  expect(read.map(plainItem)).toEqual(rows.map((row) => ({ ...row })));
  expect(read.map(listedItem)).toEqual(rows.map(listedItem));
});
