import { expect, test } from 'vitest';
import { anyInPieces, inPieces, JoinedPieces, portionLength } from '../../src/db/long-texts.js';
import { readRowTexts } from '../../src/db/row-texts.js';
import { valuesOfRow } from '../../src/values/row-texts.js';
import { databaseForAllTests } from '../support/database.js';

const testDatabase = databaseForAllTests();

/** Lengths around those at which a text is sent in one more piece; each character of the second has two bytes. */
const texts = [
  ...['', 'short', 'é'],
  ...[16_383, 32_766, 32_767, 32_768, 32_769, 49_152, 49_153].map((length) => 'x'.repeat(length)),
  ...[16_383, 16_384, 16_385, 50_000].map((length) => `${'é'.repeat(length)}!`),
  ...['a\u001fb', `\u001d${'y'.repeat(40_000)}`, '€'.repeat(400_000)],
];

test('reads rows of any length, of long ones only a few at a time', async () => {
  const { sql } = testDatabase.database;
  const rows = sql`select n, value
    from json_array_elements_text(${JSON.stringify(texts)}::text::json) with ordinality t (value, n)`;
  const request = { rows, values: [sql`i.n::text`, sql`i.value`], order: sql`i.n desc` };
  const found: string[] = [];
  await sql.begin(async (tx) => {
    for await (const portion of readRowTexts(tx, request, 3)) {
      const length = portion.slice(0, -1).reduce((sum, row) => sum + row.length, 0);
      expect(length).toBeLessThan(portionLength);
      found.push(...portion);
    }
  });
  expect(found.map(valuesOfRow)).toEqual(texts.map((text, index) => [String(index + 1), text]).reverse());
});

test('does not let the server send more than 32 kB of a text in one row', async () => {
  const { sql } = testDatabase.database;
  const joined = new JoinedPieces();
  const rows = await sql<{ piece: string }[]>`
    select ${inPieces(sql, sql`t.value`)} as piece from (select repeat('é', 500000) as value) t`;
  expect(Math.max(...rows.map(({ piece }) => piece.length))).toBeLessThanOrEqual(32_769);
  expect(rows.map(({ piece }) => joined.add(piece)).filter((text) => text !== null)).toEqual([
    'é'.repeat(500_000),
  ]);
});

test('reads texts that begin with the mark of a piece', async () => {
  const { sql } = testDatabase.database;
  const marked = [...texts, '\u001cshort', '\u001dshort'];
  const joined = new JoinedPieces();
  const rows = await sql<{ piece: string }[]>`
    select ${anyInPieces(sql, sql`t.value`)} as piece
    from (select * from json_array_elements_text(${JSON.stringify(marked)}::text::json)
      with ordinality t (value, n) order by n offset 0) t`;
  expect(rows.map(({ piece }) => joined.addAny(piece)).filter((text) => text !== null)).toEqual(marked);
});
