import { writeFileSync } from 'node:fs';
import path from 'node:path';
import ExcelJS from 'exceljs';
import fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { readWorkbook } from '../../src/spreadsheet/read-workbook.js';
import { escapeXml, type SheetCell, type SheetColumn } from '../../src/spreadsheet/sheet-xml.js';
import { folderForThisTest } from '../support/test-folder.js';
import { workbookOf } from './memory-workbook.js';

/** Every workbook is read back by a library other than the one that reads the sheets that are given back. */

const columns: readonly SheetColumn[] = [
  { name: 'Text', width: 20, type: 'text' },
  { name: 'Count', width: 8, type: 'count' },
  { name: 'Amount', width: 13, type: 'amount' },
  { name: 'Day', width: 11, type: 'date' },
  { name: 'Decision', width: 18, type: 'text', isToFill: true, repeats: true, choices: ['accept', 'wait'] },
];

async function readBack(bytes: Buffer): Promise<ExcelJS.Workbook> {
  const folder = folderForThisTest();
  writeFileSync(path.join(folder, 'w.xlsx'), bytes);
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.readFile(path.join(folder, 'w.xlsx'));
  return workbook;
}

async function sheetWith(...rows: SheetCell[][]): Promise<ExcelJS.Worksheet> {
  const workbook = await readBack(
    await workbookOf((writer) => writer.addSheet('items', columns).write(rows)),
  );
  const sheet = workbook.getWorksheet('items');
  if (sheet === undefined) throw new Error('the sheet is missing');
  return sheet;
}

describe('a cell keeps its type', () => {
  const amount = (amountMinor: bigint, digits: 0 | 2 | 3 | 4 = 2) => ({ amountMinor, digits });
  test.each<[string, number, SheetCell, unknown, string]>([
    ['a text', 1, 'abc', 'abc', '@'],
    ['an id of digits', 1, '0012', '0012', '@'],
    ['an id longer than a number holds', 1, '12345678901234567890', '12345678901234567890', '@'],
    ['a formula', 1, '=1+1', '=1+1', '@'],
    ['a call of a program', 1, '=cmd|"/c calc"!A1', '=cmd|"/c calc"!A1', '@'],
    ['blanks around a text', 1, ' a\nb ', ' a\nb ', '@'],
    ['a text of XML', 1, '<a href="x">&amp;</a>', '<a href="x">&amp;</a>', '@'],
    ['a count', 2, 17, 17, '0'],
    ['an amount', 3, amount(-1234567n), -12345.67, '#,##0.00'],
    ['a small amount', 3, amount(-5n), -0.05, '#,##0.00'],
    ['an amount of a currency without decimals', 3, amount(10000n, 0), 100, '#,##0'],
    ['one that has decimals all the same', 3, amount(10050n, 0), 100.5, '#,##0.00'],
    ['an amount of a currency with three decimals', 3, amount(10050n, 3), 100.5, '#,##0.000'],
    ['an amount with more digits than a number holds', 3, amount(10n ** 17n), '1000000000000000.00', '@'],
    ['a day', 4, { date: '2026-11-19' }, new Date('2026-11-19T00:00:00Z'), 'yyyy-mm-dd'],
    ['the day before a leap day', 4, { date: '2028-02-28' }, new Date('2028-02-28'), 'yyyy-mm-dd'],
    ['a day that spreadsheets count differently', 4, { date: '1900-01-31' }, '1900-01-31', '@'],
    ['a text that repeats', 5, 'accept', 'accept', '@'],
  ])('%s', async (_what, column, cell, value, format) => {
    const row = columns.map((_, index) => (index + 1 === column ? cell : null));
    const found = (await sheetWith(row)).getCell(2, column);
    expect(found.value).toEqual(value);
    expect(found.numFmt).toBe(format);
  });

  test('whatever a text contains', async () => {
    const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
    const texts = fc.sample(fc.string({ unit: 'binary', minLength: 1 }), { numRuns: 100, seed: 7 });
    texts.push('_x0041_', 'a\u0000b', 'a\r\nb', '\ufffe', 'x'.repeat(32_767));
    const rows = texts.map((text): SheetCell[] => [text, null, null, null, text]);
    const bytes = await workbookOf((writer) => writer.addSheet('items', columns).write(rows));
    const expected = texts.map((text) => text.replace(half, '\ufffd'));
    const { sheets } = await readXlsx(bytes);
    expect(sheets[0]?.rows.slice(1).map((row) => [row[0], row[4]])).toEqual(
      expected.map((text) => [text, text]),
    );
    // exceljs leaves the escapes of the format in some cells.
    const escaped = (text: string) => escapeXml(text).replace(/&(\w+);/g, (entity) => entities[entity] ?? '');
    const sheet = (await readBack(bytes)).getWorksheet('items');
    expected.forEach((text, index) => {
      expect([text, escaped(text)]).toContain(sheet?.getCell(index + 2, 1).value);
    });
  });
});

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

describe('a sheet', () => {
  test('has a frozen header, a filter, widths, and offers the words of a decision', async () => {
    const sheet = await sheetWith(['a', 1, null, null, null], ['b', 2, null, null, 'wait']);
    expect(sheet.getRow(1).values).toEqual([undefined, ...columns.map(({ name }) => name)]);
    expect(sheet.views).toMatchObject([{ state: 'frozen', ySplit: 1 }]);
    expect(sheet.autoFilter).toBe('A1:E3');
    expect(columns.map((_, index) => sheet.getColumn(index + 1).width)).toEqual(
      columns.map(({ width }) => width),
    );
    expect(sheet.getCell('E3').dataValidation).toMatchObject({ type: 'list', formulae: ['"accept,wait"'] });
    expect(sheet.getCell('A1').font.bold).toBe(true);
  });

  test('is printed on A4 as wide as the columns for paper, with the header and the page on each page', async () => {
    const printed = columns.map((column, index) => ({ ...column, isPrinted: index < 3 }));
    const bytes = await workbookOf(async (writer) => {
      await writer.addSheet('all', columns).write([['a', 1, null, null, null]]);
      await writer.addSheet('some', printed).write([
        ['a', 1, null, null, null],
        ['b', 2, null, null, null],
      ]);
    });
    const workbook = await readBack(bytes);
    const settings = {
      paperSize: 9,
      orientation: 'landscape',
      fitToPage: true,
      fitToWidth: 1,
      fitToHeight: 0,
      printTitlesRow: '1:1',
    };
    const [all, some] = ['all', 'some'].map((name) => workbook.getWorksheet(name));
    expect(all?.pageSetup).toMatchObject({ ...settings, printArea: 'A1:E2' });
    expect(some?.pageSetup).toMatchObject({ ...settings, printArea: 'A1:C3' });
    expect(some?.headerFooter.oddFooter).toBe('&L&A&R&P / &N');
  });

  test('that is new keeps the type of what people write into it', async () => {
    const sheet = await sheetWith(['a', null, null, null, null]);
    expect([1, 2, 3, 4, 5].map((column) => sheet.getColumn(column).numFmt)).toEqual([
      ...['@', '0', '#,##0.00', 'yyyy-mm-dd', '@'],
    ]);
  });

  test.each([
    ['no row', 0, [0]],
    ['one row less than a sheet holds', 8, [8]],
    ['as many as it holds', 9, [9]],
    ['one row more', 10, [9, 1]],
    ['many more', 25, [9, 9, 7]],
  ])('with %s', async (_what, count, expected) => {
    const workbook = await readBack(
      await workbookOf(
        async (writer) => {
          const sheet = writer.addSheet('error', columns);
          const other = writer.addSheet('info', columns);
          for (let row = 0; row < count; row += 1) await sheet.write([[`row ${row}`, row, null, null, null]]);
          await other.write([['x', 1, null, null, null]]);
        },
        { rows: 10 },
      ),
    );
    const names = expected.map((_, index) => (index === 0 ? 'error' : `error-${index + 1}`));
    expect(workbook.worksheets.map(({ name }) => name)).toEqual([...names, 'info']);
    const rows = names.map((name) => workbook.getWorksheet(name)?.rowCount);
    expect(rows).toEqual(expected.map((each) => each + 1));
    expect(workbook.getWorksheet('info')?.getCell('A2').value).toBe('x');
  });
});

test('the same rows give the same bytes, however they are passed on', async () => {
  const rows = Array.from({ length: 5000 }, (_, row): SheetCell[] => [
    `row ${row}`,
    row,
    null,
    null,
    'accept',
  ]);
  const inPieces = (size: number) =>
    workbookOf(async (writer) => {
      const sheet = writer.addSheet('error', columns);
      for (let from = 0; from < rows.length; from += size) await sheet.write(rows.slice(from, from + size));
    });
  const expected = await inPieces(5000);
  for (const size of [1, 999]) expect((await inPieces(size)).equals(expected)).toBe(true);
});

test('sheets that are filled in turns keep their rows in order, whatever is compressed meanwhile', async () => {
  const names = ['error', 'warning'];
  const textOf = (name: string, row: number) => `${name} ${row} ${Math.sin(row)} ${'long '.repeat(row % 40)}`;
  const count = 6000;
  const bytes = await workbookOf(async (writer) => {
    const sheets = names.map((name) => writer.addSheet(name, columns));
    for (let row = 0; row < count; row += 1) {
      for (const [index, sheet] of sheets.entries()) {
        await sheet.write([[row === 3000 ? 'x'.repeat(300_000) : textOf(names[index] ?? '', row)]]);
      }
    }
  });
  const { sheets } = await readXlsx(bytes);
  for (const [index, name] of names.entries()) {
    const expected = Array.from({ length: count }, (_, row) =>
      row === 3000 ? 'x'.repeat(300_000) : textOf(name, row),
    );
    expect(sheets[index]?.rows.slice(1).map(([text]) => text)).toEqual(expected);
  }
  // That reader sorts the rows by their numbers. A spreadsheet calls a workbook damaged in which they are not sorted.
  const numbers: number[] = [];
  for await (const { row } of readWorkbook(bytes, 'w.xlsx')) numbers.push(row);
  const ascending = Array.from({ length: count + 1 }, (_, row) => row + 1);
  expect(numbers).toEqual([...ascending, ...ascending]);
});

test('a failing disk ends the writing', async () => {
  const full = new Error('disk full');
  const rows = Array.from({ length: 200_000 }, (_, row): SheetCell[] => [`row ${row} ${Math.sin(row)}`]);
  const { WorkbookWriter } = await import('../../src/spreadsheet/workbook-writer.js');
  const writer = new WorkbookWriter(
    () => Promise.resolve({ write: () => Promise.reject(full), read: () => (async function* () {})() }),
    { rows: 1_048_576 },
  );
  const sheet = writer.addSheet('error', columns);
  await expect(sheet.write(rows).then(() => sheet.end())).rejects.toBe(full);
});
