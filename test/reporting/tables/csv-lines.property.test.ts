import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Sql } from '../../../src/db/client.js';
import {
  amountOrTextCell,
  dateCell,
  freeTextCell,
  serializeRows,
  textCell,
  type CsvFormat,
} from '../../../src/reporting/tables/csv-cells.js';
import { readLines, type LineColumn } from '../../../src/reporting/tables/csv-lines.js';
import type { LineOrCells } from '../../../src/reporting/tables/row-lines.js';
import { databaseForAllTests } from '../../support/database.js';

const columns: readonly LineColumn[] = [
  { name: 'Id', kind: 'text', column: 'id' },
  { name: 'Name', kind: 'text', column: 'name' },
  { name: 'Message', kind: 'freeText', column: 'message' },
  { name: 'Expected', kind: 'amountOrText', column: 'expected' },
  { name: 'Amount', kind: 'amount', column: 'amount_minor' },
  { name: 'Line', kind: 'count', column: 'line' },
  { name: 'Date', kind: 'date', column: 'date' },
];

interface Row {
  readonly id: string | null;
  readonly name: string | null;
  readonly message: string | null;
  readonly expected: string | null;
  /** Hundredths, as text for JSON. */
  readonly amount_minor: string | null;
  readonly line: number | null;
  readonly date: string | null;
}

const testDatabase = databaseForAllTests();
let sql: Sql;

beforeAll(() => {
  sql = testDatabase.database.sql;
});

/** Both ways to write the rows, and how many of them did not become cells. */
async function bothWays(rows: readonly Row[], format: CsvFormat) {
  const cells = rows.map((row) => [
    textCell(row.id),
    textCell(row.name),
    freeTextCell(row.message),
    amountOrTextCell(row.expected),
    row.amount_minor === null ? null : BigInt(row.amount_minor),
    row.line,
    dateCell(row.date),
  ]);
  const found: LineOrCells[] = [];
  await sql.begin(async (tx) => {
    const listed = rows.map((row, place) => ({ ...row, place }));
    const list = {
      columns,
      rows: tx`select * from jsonb_to_recordset(${JSON.stringify(listed)}::text::jsonb) as t (place integer,
        id text, name text, message text, expected text, amount_minor bigint, line integer, date text)`,
      order: tx`i.place`,
    };
    for await (const batch of readLines(tx, list, format)) found.push(...batch);
  });
  return {
    plain: cells.map((row) => serializeRows([row], format)),
    fast: found.map((row) => serializeRows([row], format)),
    finished: found.filter((row) => typeof row === 'string').length,
  };
}

const usual: CsvFormat = { delimiter: ';', decimalSeparator: '.' };
const german: CsvFormat = { delimiter: ';', decimalSeparator: ',' };
const commas: CsvFormat = { delimiter: ',', decimalSeparator: '.' };

const anything = Array.from(
  '=+-@＝＋－＠﹦﹢﹣﹫−;,|"\'\t\r\n\u000b\u001f\u001e \u00a0\u200b\u2028\u3000\ufeff…aZ19.€ßñ😀',
);
const hostile = fc.oneof(
  fc.string({ unit: fc.constantFrom(...anything), maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => text.replaceAll('\0', '')),
  fc.constantFrom(
    ...[
      '',
      '4200000000000000',
      'card 4200 0000 0000 0000',
      'card 4200.0000.0000.0000',
      'card 4200\u00a00000\u00a00000\u00a00000',
      'x4200000000000000',
      '14 4200-0000-0000-0000',
      '[1]',
    ],
    ...['-5.00', '5;-5.00', 'DEBIT;-2+3', 'Visa', 'ffffffff00000000000000000001204f', '\\N', '{}', 'null'],
  ),
);
const amountLike = fc.oneof(
  fc.constantFrom(
    '0.00',
    '-0.00',
    '007.50',
    '-12.30',
    '1.5',
    '-',
    '.00',
    '12.345',
    '-5.00 ',
    '99999999999999999999.99',
  ),
  hostile,
);
const whole = fc.oneof(
  fc.constantFrom(0n, 5n, -5n, -99n, 100n, -100n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_807n),
  fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n }),
);
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 8 });
const row: fc.Arbitrary<Row> = fc.record({
  id: orNull(hostile),
  name: orNull(hostile),
  message: orNull(hostile),
  expected: orNull(amountLike),
  amount_minor: orNull(whole.map(String)),
  line: orNull(fc.integer({ min: 0 })),
  date: orNull(fc.constantFrom('2026-11-22', '0001-01-01', '9999-12-31')),
});

const usualRow: Row = {
  ...{ id: '8ac7a4a00000aec50000000000018282', name: 'Gebühr für Österreich, 14', expected: '12.30' },
  message: 'Payment 8ac7a4a00000aec50000000000018282 (RF) over 52.41 EUR of 2026-11-07: 1 = 1, not 2 - 1.',
  ...{ amount_minor: '-1230', line: 7, date: '2026-11-22' },
};

test('rows that need no care have the bytes that cells would have', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 200 }),
      fc.constantFrom(usual, german, commas),
      async (rows, format) => {
        const { plain, fast } = await bothWays(rows, format);
        expect(fast).toEqual(plain);
      },
    ),
    { numRuns: 40 },
  );
});

test('a text that is too long for a spreadsheet is cut', async () => {
  const texts = ['a'.repeat(32_768), 'ä'.repeat(32_768), '😀'.repeat(16_384)];
  const rows = texts.map((name) => ({ ...usualRow, name }));
  const { plain, fast, finished } = await bothWays(rows, usual);
  expect(fast).toEqual(plain);
  expect(fast[0]).toContain('a…"');
  expect(finished).toBe(0);
});

test('usual rows are finished at once, and those that have to be escaped become cells', async () => {
  const { finished } = await bothWays([usualRow, { ...usualRow, expected: 'none', name: null }], usual);
  expect(finished).toBe(2);
  const careful = ['=1', '-5', 'a;=1', 'say "hi"', '\tx', ' @x'].map((name) => ({ ...usualRow, name }));
  const card = { ...usualRow, message: 'card 4200 0000 0000 0000' };
  expect((await bothWays([...careful, card], usual)).finished).toBe(0);
});
