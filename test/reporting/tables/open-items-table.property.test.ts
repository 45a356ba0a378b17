import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Item } from '../../../src/findings/open-item.js';

import {
  amountOrTextCell,
  dateCell,
  freeTextCell,
  serializeRows,
  textCell,
  type Cell,
  type CsvFormat,
} from '../../../src/reporting/tables/csv-cells.js';
import { openItemColumns, type ItemColumn } from '../../../src/reporting/tables/open-items-columns.js';
import { openItemsTable } from '../../../src/reporting/tables/open-items-table.js';
import type { LineOrCells } from '../../../src/reporting/tables/row-lines.js';
import { runId } from '../../../src/values/ids.js';
import { textItem } from '../../support/text-items.js';

/** The cell of an item by `csv-cells.ts` alone. */
function cellOf(column: ItemColumn, item: Item): Cell {
  switch (column.kind) {
    case 'derived':
      return textCell(column.textOf(item));
    case 'id':
      return textCell(item[column.field]);
    case 'text':
      return freeTextCell(item[column.field]);
    case 'amountOrText':
      return amountOrTextCell(item[column.field]);
    case 'date':
      return dateCell(item[column.field]);
    case 'amount':
    case 'count':
      return item[column.field];
  }
}

async function* oneBatch(items: readonly Item[]) {
  await Promise.resolve();
  yield items.map(textItem);
}

/** Both ways to write the items, and how many of them did not become cells. */
async function bothWays(items: readonly Item[], format: CsvFormat) {
  const found: LineOrCells[] = [];
  for await (const batch of openItemsTable(oneBatch(items), format).rows) found.push(...batch);
  return {
    plain: items.map((item) =>
      serializeRows([openItemColumns.map((column) => cellOf(column, item))], format),
    ),
    fast: found.map((row) => serializeRows([row], format)),
    finished: found.filter((row) => typeof row === 'string').length,
  };
}

const hostile = fc.oneof(
  fc.string({
    unit: fc.constantFrom(...Array.from('=+-@＝−;,|"\'\t\r\n\u001f \u00a0\u200b…aZ19.€😀')),
    maxLength: 8,
  }),
  fc.constantFrom(
    'card 4200 0000 0000 0000',
    'x4200000000000000',
    '-5.00',
    '5;-5.00',
    '12.30',
    '0.00',
    'VISA',
  ),
);
const text = fc.option(hostile, { nil: null, freq: 6 });
const amount = fc.bigInt({ min: -1_000_000_000_000n, max: 1_000_000_000_000n });
const date = fc.option(fc.constantFrom('2026-11-22', '0001-01-01'), { nil: null });
const item: fc.Arbitrary<Item> = fc.record({
  discrepancyId: fc.constant('0'.repeat(32)),
  code: fc.constantFrom('NOT_MATCHED', 'AMOUNT_MISMATCH', 'CLAIM_DIFFERS'),
  severity: fc.constantFrom('error', 'warning', 'info'),
  status: fc.constantFrom('OPEN', 'WAITING'),
  lapsed: fc.boolean(),
  pending: fc.boolean(),
  amountMinor: fc.option(amount, { nil: null }),
  atRiskMinor: amount,
  currency: text,
  since: date,
  ageDays: fc.nat(),
  message: hostile,
  merchantAccountId: text,
  paymentType: text,
  date,
  decision: fc.option(fc.constantFrom('accept', 'wait', 'link', 'unlink'), { nil: null }),
  until: date,
  linkTo: text,
  assignee: text,
  reason: text,
  note: text,
  decidedBy: text,
  decidedOn: date,
  suggestedLink: text,
  paymentId: text,
  file: text,
  line: fc.option(fc.nat(), { nil: null }),
  basis: fc.constant('b0123456789abcdefn0'),
  source: text,
  settlementTxId: text,
  clearingInstitute: text,
  merchantTransactionId: text,
  expected: text,
  actual: text,
  pattern: fc.option(fc.constant('p0123456789ab'), { nil: null }),
  firstSeenRun: fc.constant(runId(1)),
});

const formats = [
  { delimiter: ';', decimalSeparator: '.' },
  { delimiter: ';', decimalSeparator: ',' },
  { delimiter: ',', decimalSeparator: '.' },
] as const;

test('items that need no care have the bytes that cells would have', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 1, maxLength: 50 }),
      fc.constantFrom<CsvFormat>(...formats),
      async (items, format) => {
        const { plain, fast } = await bothWays(items, format);
        expect(fast).toEqual(plain);
      },
    ),
    { numRuns: 100 },
  );
});

const usual: Item = {
  ...{
    discrepancyId: '381c54dae53e82d0e7f1a4093b5a7020',
    code: 'NOT_MATCHED',
    severity: 'error',
    status: 'OPEN',
  },
  ...{ lapsed: true, pending: true, amountMinor: 2964400n, atRiskMinor: -2964400n, currency: 'GBP' },
  ...{
    since: '2026-11-20',
    ageDays: 0,
    message: 'No stored payment belongs to this record of 29644.00 GBP.',
  },
  ...{ merchantAccountId: '8a8294174b7ecb28014b969900000013', paymentType: 'DEBIT', date: '2026-11-19' },
  ...{
    decision: 'accept',
    until: null,
    linkTo: null,
    assignee: 'Ann',
    reason: null,
    note: null,
    decidedBy: null,
  },
  ...{ decidedOn: null, suggestedLink: null, paymentId: null, file: 'settlement-1.csv', line: 217148 },
  ...{
    basis: 'b7e894b652c71c46cn0',
    source: 'local',
    settlementTxId: 'STL-000217146',
    pattern: 'pcd8af2aa47de',
  },
  ...{
    clearingInstitute: 'Example Acquirer Europe',
    merchantTransactionId: null,
    expected: '12.30',
    actual: null,
  },
  firstSeenRun: runId(1),
};

test.each([
  ['usual', usual, 1],
  ['formula in a note', { ...usual, note: '=1' }, 0],
  ['formula in a name', { ...usual, merchantAccountId: '-1' }, 0],
  ['quote in a reason', { ...usual, reason: 'say "hi"' }, 0],
  ['card number in a note', { ...usual, note: 'card 4200 0000 0000 0000' }, 0],
  ['mark of the values in a note', { ...usual, note: 'a\u001fb' }, 0],
] as const)('whether a line is finished at once: %s', async (_name, given: Item, finished) => {
  const written = await bothWays([given], formats[0]);
  expect(written.fast).toEqual(written.plain);
  expect(written.finished).toBe(finished);
});
