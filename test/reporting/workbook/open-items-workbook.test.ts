import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import ExcelJS from 'exceljs';
import { describe, expect, test } from 'vitest';
import { runId } from '../../../src/values/ids.js';
import type { Item } from '../../../src/findings/open-item.js';
import { OpenItemsWorkbook } from '../../../src/reporting/workbook/open-items-workbook.js';
import { openItemColumns } from '../../../src/reporting/tables/open-items-columns.js';
import { openItemsTable } from '../../../src/reporting/tables/open-items-table.js';
import { StagedFolder } from '../../../src/reporting/folder/report-folder.js';
import { writeTable } from '../../../src/reporting/tables/write-table.js';
import { folderForAllTests } from '../../support/test-folder.js';
import { textItem } from '../../support/text-items.js';

const reports = folderForAllTests();

const usual: Item = {
  ...{ discrepancyId: '0'.repeat(32), code: 'NOT_MATCHED', severity: 'error', status: 'OPEN' },
  ...{ lapsed: false, pending: false, amountMinor: 10000n, atRiskMinor: -10000n, currency: 'EUR' },
  ...{ since: '2026-11-19', ageDays: 1, message: 'No payment was found.', merchantAccountId: '0012' },
  ...{ paymentType: 'DB', date: '2026-11-18', decision: null, until: null, linkTo: null, assignee: null },
  ...{ reason: null, note: null, decidedBy: null, decidedOn: null, suggestedLink: null, paymentId: null },
  ...{ file: 'a.csv', line: 7, basis: `b${'0'.repeat(16)}n0`, source: 'acquirer', settlementTxId: '0000012' },
  ...{
    clearingInstitute: 'Acquirer',
    merchantTransactionId: null,
    expected: null,
    actual: null,
    pattern: null,
    firstSeenRun: runId(1),
  },
};

/** Different in every respect that a cell can show. */
const items: readonly Item[] = [
  { ...usual, message: '=HYPERLINK("http://x.example";"a")', note: '+1', reason: '@x', assignee: '-1' },
  {
    ...usual,
    ...{ code: 'AMOUNT_MISMATCH', expected: '100.00', actual: '-90.50', atRiskMinor: 1050n, pending: true },
    ...{ decision: 'accept', decidedBy: 'anna', decidedOn: '2026-11-20', pattern: 'p0123456789' },
  },
  {
    ...usual,
    ...{
      severity: 'warning',
      code: 'BRAND_MISMATCH',
      currency: 'JPY',
      atRiskMinor: 0n,
      amountMinor: 500000n,
    },
    ...{ expected: 'VISA', actual: 'MASTER', note: 'card 4111111111111111' },
  },
  {
    ...usual,
    ...{ severity: 'info', code: 'CLAIM_DIFFERS', currency: 'KWD', status: 'WAITING', decision: 'wait' },
    ...{ until: '2026-12-01', ageDays: 40, atRiskMinor: 0n, date: null, amountMinor: null, line: null },
  },
  { ...usual, lapsed: true, decision: 'link', linkTo: 'f'.repeat(32), atRiskMinor: 2500n, ageDays: 9 },
];

const format = { delimiter: ';', decimalSeparator: '.' } as const;

/** Writes the table and the workbook of the items as a run does. */
async function publish(
  all: readonly Item[],
  { rowLimit = 1_048_576, most = 2_000_000, batchSize = all.length } = {},
) {
  const folder = await StagedFolder.create(reports.path, 'run-000001');
  const workbook = new OpenItemsWorkbook(folder, rowLimit, most);
  const batches = (async function* () {
    await Promise.resolve();
    for (let at = 0; at < all.length; at += batchSize) {
      const batch = all.slice(at, at + batchSize).map(textItem);
      await workbook.write(batch);
      yield batch;
    }
  })();
  await writeTable(folder, openItemsTable(batches, format), {
    rowLimit,
    format,
  });
  await workbook.finish();
  await folder.seal({});
  await folder.publish();
  const file = path.join(reports.path, 'run-000001', 'open-items.xlsx');
  const read = new ExcelJS.Workbook();
  await read.xlsx.readFile(file);
  return { folder, read, bytes: readFileSync(file) };
}

const rowsOf = (workbook: ExcelJS.Workbook, name: string) =>
  (workbook.getWorksheet(name)?.getSheetValues() ?? [])
    .slice(2)
    .map((row) => (Array.isArray(row) ? Array.from(row.slice(1), (cell) => cell ?? null) : []));

/** A cell as `open-items.csv` writes it, except for the marks that keep a text from being a formula there. */
function asText(cell: unknown): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  return typeof cell === 'string' || typeof cell === 'number' ? `${cell}` : 'another type';
}

describe('open-items.xlsx', () => {
  test('has the rows of open-items.csv in a sheet for each severity', async () => {
    const { read } = await publish(items);
    expect(read.worksheets.map(({ name }) => name)).toEqual(['Totals', 'error', 'warning', 'info']);
    const [header = [], ...lines]: string[][] = parse(
      readFileSync(path.join(reports.path, 'run-000001', 'open-items.csv')),
      {
        delimiter: ';',
        bom: true,
      },
    );
    const bySeverity = ['error', 'warning', 'info'].flatMap((severity) => rowsOf(read, severity));
    const inOrder = [0, 1, 4, 2, 3].map((index) => lines[index] ?? []);
    const plain = (cell: string) =>
      /^-?\d+\.\d\d$/.test(cell) ? String(Number(cell)) : cell.replaceAll("'", '');
    expect(bySeverity.map((row) => header.map((_, index) => asText(row[index] ?? null)))).toEqual(
      inOrder.map((line) => line.map(plain)),
    );
    expect(read.getWorksheet('error')?.getRow(1).values).toEqual([undefined, ...header]);
  });

  test('has the same bytes however many items are read at a time', async () => {
    const { bytes } = await publish(items);
    for (const batchSize of [1, 2]) expect((await publish(items, { batchSize })).bytes).toEqual(bytes);
  });

  test('shows each message whole, on paper too, in a row as high as the message needs', async () => {
    const message =
      'Payment 8ac7a4a1000000000000000000000914 (DB) for 250.00 EUR on 2026-11-09 should be settled by now.';
    const { read } = await publish([{ ...usual, message }]);
    const sheet = read.getWorksheet('error');
    const column = openItemColumns.findIndex(({ name }) => name === 'Message') + 1;
    expect(sheet?.getCell(2, column)).toMatchObject({ value: message, alignment: { wrapText: true } });
    // Two lines: LibreOffice does not compute the height of a row that it opens.
    expect(sheet?.getRow(2).height).toBe(30);
    expect(sheet?.getCell(2, 1).alignment).toEqual({ vertical: 'top' });
  });

  test('shows what to do whole, in a row as high as its longest sentence needs', async () => {
    const { read } = await publish([{ ...usual, code: 'REVERSAL_WITHOUT_CHARGEBACK' }]);
    const sheet = read.getWorksheet('error');
    const column = openItemColumns.findIndex(({ name }) => name === 'WhatToDo') + 1;
    expect(sheet?.getCell(2, column)).toMatchObject({ alignment: { wrapText: true } });
    expect(sheet?.getRow(2).height).toBeGreaterThanOrEqual(60);
  });

  test('has typed cells, and no formula in a text', async () => {
    const { read } = await publish(items);
    const names = openItemColumns.map(({ name }) => name);
    const types = (sheet: string, row: number) =>
      Object.fromEntries(
        names.map((name, index) => {
          const cell = read.getWorksheet(sheet)?.getCell(row, index + 1);
          return [name, [typeof cell?.value, cell?.numFmt]];
        }),
      );
    expect(types('error', 2)).toMatchObject({
      Amount: ['number', '#,##0.00'],
      Since: ['object', 'yyyy-mm-dd'],
      AgeDays: ['number', '0'],
      Message: ['string', '@'],
      MerchantAccountId: ['string', '@'],
      SettlementTxId: ['string', '@'],
      Note: ['string', '@'],
    });
    expect(types('error', 3)).toMatchObject({ Expected: ['number', '#,##0.00'], Decision: ['string', '@'] });
    expect(types('warning', 2)).toMatchObject({ Amount: ['number', '#,##0'], Expected: ['string', '@'] });
    expect(read.getWorksheet('error')?.getCell('K2').value).toBe('=HYPERLINK("http://x.example";"a")');
  });

  test('can be filtered and filled in, with the header always in view', async () => {
    const sheet = (await publish(items)).read.getWorksheet('error');
    expect(sheet?.autoFilter).toBe('A1:AI4');
    expect(sheet?.views).toMatchObject([{ state: 'frozen', xSplit: 2, ySplit: 1, topLeftCell: 'C2' }]);
    expect(sheet?.getCell('P2').dataValidation.formulae.join()).toContain('accept,wait,link');
    expect(sheet?.getCell('P1').fill).not.toEqual(sheet?.getCell('A1').fill);
  });

  test('has columns in which the button of the filter covers no name', async () => {
    const { read } = await publish(items);
    for (const name of ['Totals', 'error']) {
      const sheet = read.getWorksheet(name);
      const tooNarrow: string[] = [];
      sheet?.getRow(1).eachCell(({ text }, column) => {
        if ((sheet.getColumn(column).width ?? 0) < text.length + 2) tooNarrow.push(text);
      });
      expect(tooNarrow).toEqual([]);
    }
  });

  test('has totals by severity, code and currency, and by currency', async () => {
    const { read } = await publish(items);
    expect(rowsOf(read, 'Totals')).toEqual([
      ['error', 'AMOUNT_MISMATCH', 'EUR', 1, 0, 0, 10.5, 10.5, 0, 1],
      ['error', 'NOT_MATCHED', 'EUR', 2, 0, 1, -75, 25, 100, 9],
      ['warning', 'BRAND_MISMATCH', 'JPY', 1, 0, 0, 0, 0, 0, 1],
      ['info', 'CLAIM_DIFFERS', 'KWD', 1, 1, 0, 0, 0, 0, 40],
      [null, 'ALL', 'EUR', 3, 0, 1, -64.5, 35.5, 100, 9],
      [null, 'ALL', 'JPY', 1, 0, 0, 0, 0, 0, 1],
      [null, 'ALL', 'KWD', 1, 1, 0, 0, 0, 0, 40],
    ]);
  });

  test('has the age of the oldest item in its totals, wherever that stands', async () => {
    const { read } = await publish([3, 9, 2].map((ageDays) => ({ ...usual, ageDays })));
    expect(rowsOf(read, 'Totals').map((row) => row.at(-1))).toEqual([9, 9]);
  });

  test('shows the amounts of its totals with the decimals of their currency', async () => {
    const { read } = await publish(
      ['EUR', 'JPY', 'KWD'].map((currency) => ({ ...usual, currency, atRiskMinor: 1200n })),
    );
    const formats = new Map<unknown, unknown>();
    read.getWorksheet('Totals')?.eachRow((row) => {
      formats.set(
        row.getCell(3).value,
        ['G', 'H', 'I'].map((column) => row.getCell(column).numFmt),
      );
    });
    expect(formats.get('EUR')).toEqual(Array(3).fill('#,##0.00'));
    expect(formats.get('JPY')).toEqual(Array(3).fill('#,##0'));
    expect(formats.get('KWD')).toEqual(Array(3).fill('#,##0.000'));
  });

  test('is the same bytes for the same items, and leaves no scratch file', async () => {
    const first = await publish(items);
    const second = await publish(items);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(first.folder.files.map(({ name, rows }) => [name, rows])).toEqual([
      ['open-items.csv', 5],
      ['open-items.xlsx', 5],
    ]);
  });

  test('of no items has headers, and can be filled with nothing', async () => {
    const { read } = await publish([]);
    expect(read.worksheets.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ...[['Totals', 1] as const, ['error', 1] as const, ['warning', 1] as const, ['info', 1] as const],
    ]);
  });

  test('goes on in a second sheet where the first is full', async () => {
    const { read } = await publish(items, { rowLimit: 3 });
    expect(read.worksheets.map(({ name }) => name)).toEqual([
      ...['Totals', 'Totals-2', 'Totals-3', 'Totals-4', 'error', 'error-2', 'warning', 'info'],
    ]);
    expect(rowsOf(read, 'error-2')[0]?.[17]).toBe('f'.repeat(32));
  });

  test('says in its totals when only open-items.csv has all items', async () => {
    const { read } = await publish(items, { most: 2 });
    expect(read.worksheets.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ...[['Totals', 9] as const, ['error', 3] as const, ['warning', 1] as const, ['info', 1] as const],
    ]);
    expect(rowsOf(read, 'Totals').slice(-2)).toEqual([
      [null, 'ALL', 'KWD', 1, 1, 0, 0, 0, 0, 40],
      ['The sheets hold the 2 items with the most money at risk of 5; open-items.csv has all.'],
    ]);
  });
});
