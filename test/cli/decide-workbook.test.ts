import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ExcelJS from 'exceljs';
import { describe, expect, test } from 'vitest';
import type { Decided } from '../../src/items/decide.js';
import type { ListedItem } from '../../src/items/listed-item.js';
import type { RunOutcome } from '../../src/outcome.js';
import { needs } from '../support/needs.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { createInstallation, paymentId, settlementFile, type Installation } from './installation.js';

/** `open-items.xlsx` filled in and given back (design 4.9): as in `decide-sheet.test.ts`, as a workbook. */

const asOf = '2026-11-20';

interface Shop {
  readonly installation: Installation;
  /** Its workbook of three errors and a warning. */
  readonly workbook: string;
}

async function shop(): Promise<Shop> {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFileOf([1, 2, 3].map((number) => paymentRow(number))));
  const rows = ['70.00', '80.00', '90.00'].map((Amount, index) => ({
    ...{ Amount, UniqueID: paymentId(index + 1), SettlementTxId: `STL-${index + 1}` },
    ...(index === 0 ? { Cashflow: 'NEG' } : {}),
  }));
  installation.write('settlement.csv', settlementFile(...rows));
  await installation.recon('payments', 'import', 'payments.csv');
  const run = await installation.json<RunOutcome>('run', '--file', 'settlement.csv', '--as-of', asOf);
  expect(run.code).toBe(0);
  return { installation, workbook: run.document.reports?.openItemsXlsx ?? '' };
}

const items = async ({ installation }: Shop) =>
  (await installation.json<ListedItem[]>('items', '--as-of', asOf)).document;

/** Opens the workbook, fills it in, and saves it under this name, with the texts in one table as spreadsheets do. */
async function fillIn(
  { installation, workbook }: Shop,
  change: (book: ExcelJS.Workbook) => void,
  name = 'open-items.xlsx',
): Promise<string> {
  const book = new ExcelJS.Workbook();
  await book.xlsx.readFile(workbook);
  change(book);
  const file = path.join(installation.directory, name);
  await book.xlsx.writeFile(file, { useSharedStrings: true });
  return file;
}

/** Writes into the cells of a row, by column. */
function write(book: ExcelJS.Workbook, sheet: string, row: number, cells: Record<string, ExcelJS.CellValue>) {
  const found = book.getWorksheet(sheet);
  const names = found?.getRow(1).values;
  for (const [column, value] of Object.entries(cells)) {
    const at = Array.isArray(names) ? names.indexOf(column) : -1;
    if (found === undefined || at < 1) throw new Error(`${sheet} has no column ${column}`);
    found.getCell(row, at).value = value;
  }
}

async function giveBack({ installation }: Shop, ...more: string[]) {
  const args = ['decide', '--file', 'open-items.xlsx', '--by', 'anna', '--as-of', asOf, ...more];
  const { code, document } = await installation.json<Partial<Decided> & { error?: Record<string, string> }>(
    ...args,
  );
  const { error } = document;
  return { code, stderr: error === undefined ? '' : `${error['code']} ${error['message']}`, document };
}

describe('a workbook that is given back', () => {
  test('as it was given out decides nothing', async () => {
    const one = await shop();
    const id = (await items(one))[0]?.discrepancyId ?? '';
    const wait = ['--wait', '2026-12-05', '--note', '=1+1', '--by', 'bo', '--as-of', asOf];
    await one.installation.recon('decide', id, ...wait);
    const { stdout } = await one.installation.recon('report', '--json');
    const { reports } = JSON.parse(stdout) as RunOutcome;
    writeFileSync(
      path.join(one.installation.directory, 'open-items.xlsx'),
      readFileSync(reports?.openItemsXlsx ?? ''),
    );
    expect(await giveBack(one)).toMatchObject({ code: 0, document: { items: 0, remarks: [] } });
    await fillIn({ ...one, workbook: reports?.openItemsXlsx ?? '' }, () => undefined);
    expect(await giveBack(one)).toMatchObject({ code: 0, document: { items: 0, remarks: [] } });
  });

  test('stores what was written into its sheets, days as days, and the same again changes nothing', async () => {
    const one = await shop();
    await fillIn(one, (book) => {
      write(book, 'error', 2, { Decision: 'accept', Reason: 'agreed', Assignee: 'bo' });
      write(book, 'error', 3, { Decision: 'Wait', Until: new Date('2026-12-01'), Note: 4711 });
      write(book, 'warning', 2, {
        Decision: 'note',
        Note: { richText: [{ text: 'asked ' }, { text: 'Eve' }] },
      });
    });
    const dry = await giveBack(one, '--dry-run');
    expect(dry.document).toMatchObject({ dryRun: true, items: 3, decisions: [{}, {}, {}, {}] });
    expect((await items(one)).every(({ decision }) => decision === null)).toBe(true);
    const { document } = await giveBack(one);
    expect(document.decisions?.map(({ kind }) => kind)).toEqual(['accept', 'assign', 'wait', 'note']);
    expect((await items(one)).map(({ status, until, note }) => [status, until, note])).toEqual([
      ['WAITING', '2026-12-01', '4711'],
      ['OPEN', null, null],
      ['OPEN', null, 'asked Eve'],
    ]);
    const { sql } = one.installation.database.database;
    const stored = await sql<{ place: string[] }[]>`
      select array[origin::text, origin_name, origin_line::text] as place from decisions order by number`;
    expect(stored.map(({ place }) => place)).toEqual([
      ['sheet', 'open-items.xlsx (error)', '2'],
      ['sheet', 'open-items.xlsx (error)', '2'],
      ['sheet', 'open-items.xlsx (error)', '3'],
      ['sheet', 'open-items.xlsx (warning)', '2'],
    ]);
    expect(await giveBack(one)).toMatchObject({ code: 0, document: { items: 0 } });
  });

  test('is refused if it has corrections too, and nothing of it is stored', async () => {
    const one = await shop();
    await fillIn(one, (book) => {
      write(book, 'error', 2, { Decision: 'accept', Reason: 'agreed' });
      book.addWorksheet('corrections').addRows([
        ['OriginalSha256', 'Amount'],
        ['0'.repeat(64), '10.00'],
      ]);
    });
    const { code, stderr } = await giveBack(one);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('SHEET_INVALID') as string });
    expect(stderr).toMatch(
      /it has items \(sheet error, row 1\) and corrections \(sheet corrections, row 1\)/,
    );
    expect((await items(one)).every(({ decision }) => decision === null)).toBe(true);
  });

  test('is stored whole or not at all: a conflict and a mistake are named with sheet and row', async () => {
    const one = await shop();
    const id = (await items(one))[1]?.discrepancyId ?? '';
    await fillIn(one, (book) => {
      write(book, 'error', 2, { Decision: 'accept', Reason: 'agreed' });
      write(book, 'error', 3, { Decision: 'accept', Reason: 'agreed' });
    });
    await one.installation.recon('decide', id, '--wait', '2026-12-24', '--by', 'bo', '--as-of', asOf);
    expect(await giveBack(one)).toMatchObject({
      code: 2,
      stderr: `DECISION_CONFLICT Nothing of open-items.xlsx was stored: sheet error, row 3: ${id} was decided in the meantime: wait by bo on 2026-11-20.`,
    });
    await fillIn(one, (book) => {
      write(book, 'error', 2, { Decision: 'accept', Reason: 'agreed' });
      write(book, 'warning', 2, { Decision: 'ok' });
    });
    const { stderr } = await giveBack(one);
    expect(stderr).toContain('SHEET_INVALID');
    expect(stderr).toContain('sheet warning, row 2: Decision is "ok"; it can be accept, wait');
    expect((await items(one)).every(({ status }) => status !== 'ACCEPTED')).toBe(true);
  });

  test('is refused where a decision is a formula that nobody calculated, or merged over several rows', async () => {
    const one = await shop();
    await fillIn(one, (book) => {
      // As a program that does not calculate writes it.
      write(book, 'error', 2, { Decision: { formula: 'IF(1=1,"accept","")' }, Reason: 'agreed' });
      write(book, 'error', 3, { Decision: 'accept', Reason: 'agreed' });
      const sheet = book.getWorksheet('error');
      const names = sheet?.getRow(1).values;
      const at = Array.isArray(names) ? names.indexOf('Decision') : -1;
      sheet?.mergeCells(3, at, 4, at);
    });
    expect(await giveBack(one)).toMatchObject({
      code: 2,
      stderr: [
        'SHEET_INVALID Nothing of open-items.xlsx was stored:',
        '  sheet error, row 2: Decision is "#UNCALCULATED!", which is a formula without a result: write what you mean as a text.',
        '  sheet error, row 4: Decision is "#MERGED!", which is part of merged cells: write what you mean as a text.',
      ].join('\n'),
    });
    expect((await items(one)).every(({ decision }) => decision === null)).toBe(true);
  });

  test('may have other sheets, other columns, another order and rows left out', async () => {
    const one = await shop();
    const [first] = await items(one);
    await fillIn(one, (book) => {
      for (const name of ['error', 'info', 'warning']) book.removeWorksheet(book.getWorksheet(name)?.id ?? 0);
      book.addWorksheet('mine').addRows([
        ['Reason', 'Basis', 'Colour', 'DiscrepancyId', 'Decision'],
        ['agreed', first?.basis, 'red', first?.discrepancyId, 'accept'],
      ]);
    });
    expect((await giveBack(one)).document).toMatchObject({ items: 1, decisions: [{ kind: 'accept' }] });
  });

  test.each<[string, Record<string, ExcelJS.CellValue>, string]>([
    ['a day as a text of a country', { Decision: 'wait', Until: '01.12.2026' }, 'a national format'],
    ['a payment shortened to a number', { Decision: 'link', LinkTo: 1.2345e31 }, 'a spreadsheet changed it'],
    ['an error of a formula', { Decision: 'link', LinkTo: { error: '#N/A' } }, 'a spreadsheet changed it'],
    ['a changed id', { Decision: 'note', Note: 'x', DiscrepancyId: 12 }, 'DiscrepancyId is "12"'],
  ])('with %s is refused, and says where', async (_what, cells, sentence) => {
    const one = await shop();
    await fillIn(one, (book) => write(book, 'error', 2, cells));
    const { code, stderr } = await giveBack(one);
    expect(code).toBe(2);
    expect(stderr).toContain(`sheet error, row 2: `);
    expect(stderr).toContain(sentence);
  });

  test('may have a title above the header, a copy of a sheet, and a moment for a day', async () => {
    const one = await shop();
    await fillIn(one, (book) => {
      const error = book.getWorksheet('error');
      const copy = book.addWorksheet('as it was');
      error?.eachRow((row) => copy.addRow(row.values));
      write(book, 'error', 2, { Decision: 'wait', Until: new Date('2026-12-05T12:30:00Z') });
      write(book, 'warning', 2, { Decision: 'note', Note: 'asked' });
      error?.insertRow(1, ['Week 47']);
      error?.insertRow(1, []);
    });
    const { document } = await giveBack(one);
    expect(document.decisions?.map(({ kind }) => kind)).toEqual(['wait', 'note']);
    expect((await items(one)).map(({ until }) => until)).toContain('2026-12-05');
  });

  test('is refused when a sheet lost the names of its columns or one that it needs', async () => {
    const one = await shop();
    await fillIn(one, (book) => {
      write(book, 'error', 2, { Decision: 'accept', Reason: 'agreed' });
      book.getWorksheet('error')?.spliceRows(1, 1);
    });
    expect((await giveBack(one)).stderr).toContain(
      'sheet error: it has rows of a sheet that recon wrote, but',
    );
    await fillIn(one, (book) => {
      write(book, 'error', 2, { Decision: 'accept', Reason: 'agreed' });
      write(book, 'warning', 1, { Basis: 'mine' });
    });
    expect((await giveBack(one)).stderr).toContain('sheet warning, row 1: the column Basis is missing');
    expect((await items(one)).every(({ decision }) => decision === null)).toBe(true);
  });

  const office = needs.libreOffice();
  test.runIf(office.isMet)(
    'and was saved by LibreOffice is read too',
    { ...office.orSkipped, timeout: 120_000 },
    async () => {
      const one = await shop();
      const file = await fillIn(
        one,
        (book) => {
          write(book, 'error', 2, { Decision: 'accept', Reason: 'agreed: =1+1' });
          write(book, 'error', 3, { Decision: 'wait', Until: new Date('2026-12-01'), Note: ' a\nb ' });
        },
        'filled.xlsx',
      );
      execFileSync(office.command, [
        `-env:UserInstallation=file://${path.join(one.installation.directory, 'profile')}`,
        ...[
          '--headless',
          '--convert-to',
          'xlsx',
          '--outdir',
          path.join(one.installation.directory, 'saved'),
          file,
        ],
      ]);
      const saved = new ExcelJS.Workbook();
      await saved.xlsx.readFile(path.join(one.installation.directory, 'saved/filled.xlsx'));
      const sheet = saved.getWorksheet('error');
      expect(saved.worksheets.map(({ name }) => name)).toEqual(['Totals', 'error', 'warning', 'info']);
      expect([sheet?.getCell('F2').value, sheet?.getCell('I2').value]).toEqual([70, new Date(asOf)]);
      writeFileSync(
        path.join(one.installation.directory, 'open-items.xlsx'),
        readFileSync(path.join(one.installation.directory, 'saved/filled.xlsx')),
      );
      const { document } = await giveBack(one);
      expect(document.decisions?.map(({ kind }) => kind)).toEqual(['accept', 'wait']);
      expect((await items(one)).map(({ until, note }) => [until, note])).toContainEqual([
        '2026-12-01',
        'a\nb',
      ]);
    },
  );
});
