import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import ExcelJS from 'exceljs';
import { describe, expect, test } from 'vitest';
import type { CorrectedRows } from '../../src/intake/corrections/correct-rows.js';
import type { RunOutcome } from '../../src/outcome.js';
import { writeCells } from '../../src/settlement-file/write-row.js';
import {
  createInstallation,
  databaseContent,
  paymentId,
  paymentsFile,
  settlementFile,
  type Cells,
  type Installation,
} from './installation.js';

/** The correction of rejected rows (design 4.9): the sheet out, edited, given back, run again, reports out. */

const asOf = ['--as-of', '2026-11-20'] as const;
const rerunOfDay = ['rerun', '--from', '2026-11-19', '--to', '2026-11-19', ...asOf] as const;

const named = (number: number, cells: Cells = {}): Cells => ({
  UniqueID: paymentId(number),
  SettlementTxId: `STL-${number}`,
  ...cells,
});
/** Rejected: a decimal comma. */
const comma = named(2, { Amount: '100,00', SettlementAmount: '100.00' });

async function shop(...rows: readonly Cells[]): Promise<Installation> {
  const installation = await createInstallation();
  installation.write('payments.csv', paymentsFile(1, 2, 3));
  expect((await installation.recon('payments', 'import', 'payments.csv')).code).toBe(0);
  await run(installation, 'settlement.csv', ...rows);
  return installation;
}

async function run(installation: Installation, name: string, ...rows: readonly Cells[]): Promise<RunOutcome> {
  const file = installation.write(name, settlementFile(...rows));
  return (await installation.json<RunOutcome>('run', '--file', file, ...asOf)).document;
}

const rerun = async (installation: Installation) =>
  (await installation.json<RunOutcome & { files: unknown }>(...rerunOfDay)).document;

/** The code and the file of each open finding. */
async function openFindings(installation: Installation): Promise<string[]> {
  const { document } = await installation.json<{ code: string; file: string }[]>('discrepancies');
  return document.map(({ code, file }) => `${code} ${file}`);
}

/** The rows of a sheet as cells by column name. */
function read(file: string | undefined): { names: string[]; rows: Record<string, string>[] } {
  const [names = [], ...lines]: string[][] = parse(readFileSync(file ?? ''), { delimiter: ';', bom: true });
  const rows = lines.map((cells) =>
    Object.fromEntries(cells.map((cell, index) => [names[index] ?? '', cell])),
  );
  return { names, rows };
}

/** Writes the sheet of the latest report with other cells in one of its rows, and gives it back. */
async function giveBack(
  installation: Installation,
  outcome: RunOutcome,
  changes: Readonly<Record<number, Cells>>,
  ...args: string[]
) {
  const { names, rows } = read(outcome.reports?.corrections);
  const edited = rows.map((row, index) => ({ ...row, ...changes[index] }));
  const lines = edited.map((row) => writeCells(names.map((name) => row[name] ?? '')));
  writeFileSync(
    path.join(installation.directory, 'corrections.csv'),
    [names.join(';'), ...lines, ''].join('\r\n'),
  );
  return installation.json<CorrectedRows>(
    ...[
      'decide',
      '--file',
      'corrections.csv',
      ...(args.includes('--by') ? [] : ['--by', 'anna']),
      ...asOf,
      ...args,
    ],
  );
}

describe('corrections.csv', () => {
  test('has the rejected rows of all files, and a corrected one becomes a record of its line', async () => {
    const world = await shop(named(1), comma);
    const outcome = await run(world, 'other.csv', named(3));
    const { names, rows } = read(outcome.reports?.corrections);
    expect(names.slice(35)).toEqual([
      'ChargebackId',
      'OriginalFile',
      'OriginalLine',
      'OriginalSha256',
      'Problems',
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ Amount: '100,00', OriginalFile: 'settlement.csv', OriginalLine: '3' });
    expect(rows[0]?.['Problems']).toContain('decimal comma');
    expect(readFileSync(outcome.reports?.page ?? '', 'utf8')).toContain('<a href="corrections.csv">');

    const before = await databaseContent(world);
    const tried = await giveBack(world, outcome, { 0: { Amount: '100.00' } }, '--dry-run');
    expect(tried.document).toMatchObject({ dryRun: true, corrected: [{ file: 'settlement.csv', line: 3 }] });
    expect(await databaseContent(world)).toEqual(before);

    const { code, document } = await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    expect({ code, ...document }).toMatchObject({
      code: 0,
      author: 'anna',
      corrected: [{ file: 'settlement.csv', line: 3, amount: '100.00', currency: 'EUR' }],
      rerun: { from: '2026-11-19', to: '2026-11-19' },
    });
    const again = await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    expect(again.document).toMatchObject({ corrected: [], alreadyCorrected: 1, rerun: null });

    const result = await rerun(world);
    expect(result.matching).toMatchObject({ MATCHED: 3 });
    expect(result.totals?.byCurrency).toMatchObject([
      { currency: 'EUR', gross: '300.00', rejected: { count: 0 } },
    ]);
    expect(read(result.reports?.corrections).rows).toEqual([]);
    expect(read(result.reports?.rejectedRows).rows).toMatchObject([
      { File: 'settlement.csv', Line: '3', CorrectedBy: 'anna', CorrectedOn: '2026-11-20' },
    ]);
    const reconciled = readFileSync(
      result.reports?.reconciled.find((each) => each.endsWith('settlement.csv')) ?? '',
      'utf8',
    );
    expect(reconciled.trimEnd().split('\n')).toHaveLength(3);
    expect(reconciled).toContain(`;100.00;EUR;VISA;`);
    expect(reconciled).toContain(`;MATCHED;${paymentId(2)};`);
    const explained = await world.recon('explain', 'settlement.csv:3');
    expect(explained.stdout).toContain(
      'anna corrected it on 2026-11-20 (corrections.csv line 2); the original is kept.',
    );
    const files = await world.json<{ name: string; rows: unknown }[]>('files');
    expect(files.document.find(({ name }) => name === 'settlement.csv')?.rows).toEqual({
      ...{ total: 2, accepted: 2, rejected: 0, alreadyKnown: 0 },
    });
  });

  test('the next run takes a correction too, whatever its age, and the file takes it along when withdrawn', async () => {
    const world = await shop(named(1), { ...comma, SettlementDate: '2026-01-05' });
    const outcome = await run(world, 'other.csv', named(3));
    await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    expect((await run(world, 'next.csv', named(4))).matching).toMatchObject({ MATCHED: 1, NOT_MATCHED: 1 });
    expect((await run(world, 'later.csv', named(5))).matching).toMatchObject({ MATCHED: 0 });
    await world.recon('files', 'withdraw', 'settlement.csv', '--reason', 'wrong');
    await run(world, 'last.csv', named(6));
    const { sql } = world.database.database;
    expect(await sql`select line, status from record_matches where file_id = 1 order by line`).toEqual([
      { line: 2, status: 'NOT_APPLICABLE' },
      { line: 3, status: 'NOT_APPLICABLE' },
    ]);
  });

  test('a correction belongs to its own day, before or after the other days of its file', async () => {
    const unreadable = { SettlementDate: '2026-11-31' };
    const world = await shop(named(1), named(2, unreadable), named(3, unreadable));
    const outcome = await run(world, 'other.csv', named(4));
    await giveBack(world, outcome, {
      0: { SettlementDate: '2026-11-16' },
      1: { SettlementDate: '2026-11-22' },
    });
    const matched = async (from: string, to = from) => {
      const { document } = await world.json<RunOutcome>('rerun', '--from', from, '--to', to, ...asOf);
      return document.matching.MATCHED;
    };
    expect(await matched('2026-11-17', '2026-11-21')).toBe(1);
    expect(await matched('2026-11-16')).toBe(1);
    expect(await matched('2026-11-22')).toBe(1);
    const { document } = await world.json<{ name: string }[]>('files');
    expect(document.find(({ name }) => name === 'settlement.csv')).toMatchObject({
      firstSettlementDate: '2026-11-16',
      lastSettlementDate: '2026-11-22',
    });
  });

  test('a row that the sender delivered correctly meanwhile is known, and not counted twice', async () => {
    const corrected = named(2);
    const world = await shop(named(1), comma);
    const outcome = await run(world, 'again.csv', corrected);
    await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    const result = await rerun(world);
    expect(result.totals?.byCurrency).toMatchObject([{ gross: '200.00' }]);
    expect(result.matching).toMatchObject({ MATCHED: 2 });
    const { sql } = world.database.database;
    expect(await sql`select count(*)::int as count from settlement_records`).toEqual([{ count: 2 }]);
  });

  test.each(['before', 'after'])(
    'a row with a card number is the record that the sender delivers %s its correction, and is written as received',
    async (moment) => {
      const texts = { Descriptor: 'card 4111111111111111', SettlementTxId: '' };
      const world = await shop(named(1), { ...comma, ...texts });
      const deliver = () => run(world, 'again.csv', named(2, texts));
      const outcome = await (moment === 'before' ? deliver() : run(world, 'other.csv', named(1)));
      const sheet = read(outcome.reports?.corrections).rows;
      expect(sheet).toMatchObject([{ Descriptor: 'card 411111******1111' }]);
      await giveBack(world, outcome, { 0: { Amount: '100.00' } });
      if (moment === 'after') {
        await rerun(world);
        expect((await deliver()).files).toMatchObject([{ rows: { accepted: 1, alreadyKnown: 1 } }]);
      }
      const result = await rerun(world);
      expect(result.totals?.byCurrency).toMatchObject([{ gross: '200.00' }]);
      expect(result.discrepancies.byCode).toEqual({});
      const name = result.reports?.reconciled.find((each) => each.endsWith('settlement.csv')) ?? '';
      expect(readFileSync(name, 'utf8')).toContain(';card 4111111111111111;');
      const { sql } = world.database.database;
      expect(await sql`select descriptor from settlement_records where unique_id = ${paymentId(2)}`).toEqual([
        { descriptor: 'card 411111******1111' },
      ]);
    },
  );

  test('a row with a card number whose file is no longer in the archive is stored with the number masked', async () => {
    const world = await shop(named(1), { ...comma, Descriptor: 'card 4111111111111111' });
    const outcome = await run(world, 'other.csv', named(1));
    await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    rmSync(path.join(world.dataDirectory, 'archive'), { recursive: true });
    // The corrected record, and the one of the file.
    expect((await run(world, 'next.csv', named(3))).matching).toMatchObject({ MATCHED: 2, NOT_MATCHED: 0 });
  });

  test('a row that the sender delivered in a file that was withdrawn counts with its correction', async () => {
    const world = await shop(named(1), comma);
    await run(world, 'again.csv', named(2));
    await world.recon('files', 'withdraw', 'again.csv', '--reason', 'sent by mistake');
    const outcome = await run(world, 'other.csv', named(3));
    await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    expect((await run(world, 'next.csv', named(4))).matching).toMatchObject({ MATCHED: 1, NOT_MATCHED: 1 });
    const { sql } = world.database.database;
    expect(await sql`select reason from uncounted_records`).toEqual([]);
  });

  test('a row that the sender delivered in a later file becomes a delivery of the file it was corrected in', async () => {
    const world = await shop(named(1), comma);
    await run(world, 'short.csv', named(2, { Amount: '90.00', SettlementAmount: '90.00' }));
    const outcome = await run(world, 'right.csv', named(2));
    expect(await openFindings(world)).toEqual(['AMOUNT_MISMATCH short.csv', 'RECORD_REDELIVERED right.csv']);
    await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    await run(world, 'next.csv', named(3));
    expect(await openFindings(world)).toEqual(['RECORD_REDELIVERED short.csv']);
    await rerun(world);
    expect(await openFindings(world)).toEqual(['RECORD_REDELIVERED short.csv']);
  });

  test('a row that brings a superseded record again takes the former correction back in the next run', async () => {
    const world = await createInstallation();
    world.write(
      'recon.config.yaml',
      'sources:\n  - { name: acquirer, protocol: local, folder: inbox, corrections: replace }\n',
    );
    await world.recon('payments', 'import', world.write('payments.csv', paymentsFile(1, 2, 3)));
    const deliver = async (name: string, ...rows: readonly Cells[]) => {
      world.write(`inbox/${name}`, settlementFile(...rows));
      return (await world.json<RunOutcome>('run', ...asOf)).document;
    };
    await deliver('1.csv', named(2));
    await deliver('2.csv', named(2, { Amount: '90.00', SettlementAmount: '90.00' }));
    const outcome = await deliver('3.csv', named(1), comma);
    expect(await openFindings(world)).toEqual(['AMOUNT_MISMATCH 2.csv']);
    await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    await deliver('4.csv', named(3));
    expect(await openFindings(world)).toEqual([]);
    await rerun(world);
    expect(await openFindings(world)).toEqual([]);
  });

  test('a row that equals another one of its file after its correction is a separate record', async () => {
    const broken = { Amount: '100,00', SettlementAmount: '100.00' };
    const world = await shop(named(1), named(1, broken), named(2));
    // The file brings a row that is known, and its twin.
    const outcome = await run(world, 'again.csv', named(2), named(2, broken));
    await giveBack(world, outcome, { 0: { Amount: '100.00' }, 1: { Amount: '100.00' } });
    const result = await rerun(world);
    expect(result.matching).toMatchObject({ MATCHED: 4 });
    expect(result.totals?.byCurrency).toMatchObject([{ gross: '400.00' }]);
    expect(result.discrepancies.byCode).toEqual({ DUPLICATE_SETTLEMENT: 2 });
  });

  test('lists no row of a withdrawn file', async () => {
    const world = await shop(named(1), comma);
    await world.recon('files', 'withdraw', 'settlement.csv', '--reason', 'wrong');
    const outcome = await run(world, 'other.csv', named(3));
    expect(read(outcome.reports?.corrections).rows).toEqual([]);
  });
});

describe('a sheet of corrections', () => {
  const broken = named(3, { Currency: 'EURO', AccountNumberLast4: '' });

  test('unchanged decides nothing, also after a spreadsheet saved it in its own notation', async () => {
    const world = await shop(named(1), comma, broken);
    const outcome = await rerun(world);
    const before = await databaseContent(world);
    const excel = {
      SettlementDate: '19.11.2026',
      TxRequestTime: '18.11.2026 10:00',
      SettlementFxRate: '1,00',
    };
    // The amount that was wrong is a number for it.
    const { code, document } = await giveBack(world, outcome, { 0: { ...excel, Amount: '100' }, 1: excel });
    expect({ code, ...document }).toMatchObject({ code: 0, corrected: [], unchanged: 2 });
    expect(document.remarks).toEqual([
      'line 2 (settlement.csv:3): Amount came back in another notation only, so the row counts as unchanged. If you corrected it, format the cell as text and write it again.',
    ]);
    expect(await databaseContent(world)).toEqual(before);
    const changed = await giveBack(world, outcome, { 0: excel, 1: { ...excel, Currency: 'EUR' } });
    expect(changed.document).toMatchObject({ corrected: [{ line: 4, settlementDate: '2026-11-19' }] });
  });

  test('unchanged decides nothing, whatever texts a row has', async () => {
    const wrong = { Amount: 'x', SettlementAmount: '100.00' };
    const world = await shop(
      named(1),
      named(2, { ...wrong, Descriptor: '\n=SUM(A1)' }),
      named(3, { ...wrong, Descriptor: 'First line\r\nSecond line' }),
      named(2, { ...wrong, AccountHolder: `=${'😀'.repeat(20_000)}` }),
    );
    const outcome = await rerun(world);
    const { code, document } = await giveBack(world, outcome, { 1: { Amount: '100.00' } });
    expect({ code, ...document }).toMatchObject({ code: 0, corrected: [{ line: 5 }], unchanged: 2 });
    const { reports } = await rerun(world);
    expect(readFileSync(reports?.reconciled[0] ?? '', 'utf8')).toContain('"First line\r\nSecond line"');
  });

  test('saved as a workbook corrects no cell that nobody touched, unless its Problems are emptied', async () => {
    const world = await shop(named(1), named(2, { SettlementDate: '19.11.2026' }), broken);
    const { names, rows } = read((await rerun(world)).reports?.corrections);
    /** Saves the sheet as a German spreadsheet does, with the day as a day. */
    const giveBackWorkbook = async (changes: Readonly<Record<number, Cells>>) => {
      const workbook = new ExcelJS.Workbook();
      const sheet = workbook.addWorksheet('corrections');
      sheet.addRow(names);
      for (const [index, row] of rows.entries()) {
        const cells: Record<string, string> = { ...row, ...changes[index] };
        const day = new Date('2026-11-19T00:00:00Z');
        sheet.addRow(names.map((name) => (cells[name] === '19.11.2026' ? day : (cells[name] ?? ''))));
      }
      await workbook.xlsx.writeFile(path.join(world.directory, 'corrections.xlsx'));
      return world.json<CorrectedRows>('decide', '--file', 'corrections.xlsx', '--by', 'anna', ...asOf);
    };
    const first = await giveBackWorkbook({ 1: { Currency: 'EUR' } });
    expect(first.document).toMatchObject({ corrected: [{ line: 4 }], unchanged: 1 });
    expect(first.document.remarks).toEqual([
      expect.stringMatching(/^sheet corrections, row 2 \(settlement\.csv:3\): SettlementDate came back/),
    ]);
    const second = await giveBackWorkbook({ 0: { Problems: '' }, 1: { Currency: 'EUR' } });
    expect(second.document).toMatchObject({
      corrected: [{ line: 3, settlementDate: '2026-11-19' }],
      alreadyCorrected: 1,
    });
  });

  test('is stored whole or not at all; each invalid cell is named with line and column', async () => {
    const world = await shop(named(1), comma, broken);
    const outcome = await rerun(world);
    const before = await databaseContent(world);
    const { code, document } = await giveBack(world, outcome, {
      0: { Amount: '100.00' },
      1: { Currency: 'EUR', SettlementDate: '45980', UniqueID: '1.23E+31' },
    });
    expect(code).toBe(2);
    const text = JSON.stringify(document);
    expect(text).toContain('SHEET_INVALID');
    expect(text).toContain('line 3 (settlement.csv:4): UniqueID');
    expect(text).toContain('a number that a spreadsheet shortened');
    expect(text).toContain('line 3 (settlement.csv:4): SettlementDate must be an existing day');
    expect(text).toContain('counts days by');
    expect(await databaseContent(world)).toEqual(before);
  });

  test('names a row that somebody else corrected in another way, and stores nothing', async () => {
    const world = await shop(named(1), comma);
    const outcome = await rerun(world);
    await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    const { code, document } = await giveBack(world, outcome, { 0: { Amount: '10.00' } }, '--by', 'bo');
    expect(code).toBe(2);
    const text = JSON.stringify(document);
    expect(text).toContain('anna corrected this row on 2026-11-20 with other cells');
    expect(text).toContain('withdraw the file with `recon files withdraw`, and give recon a right one');
  });

  test.each([
    ['a place that was changed', { OriginalLine: '1.2E+3' }, 'OriginalLine is'],
    ['a row that was never rejected', { OriginalLine: '2' }, 'no such row was rejected'],
    ['a SHA-256 of a spreadsheet', { OriginalSha256: '1.23E+45' }, 'a spreadsheet changed it'],
  ])('with %s is refused', async (_what, cells, sentence) => {
    const world = await shop(named(1), comma);
    const outcome = await rerun(world);
    const { code, document } = await giveBack(world, outcome, { 0: { Amount: '100.00', ...cells } });
    expect(code).toBe(2);
    expect(JSON.stringify(document)).toContain(sentence);
  });

  test('has the cells of a row with too many, which counts once its Problems are emptied', async () => {
    const world = await createInstallation();
    const file = settlementFile(named(1), named(2)).replace(/\n$/, ';\n');
    const ran = await world.json<RunOutcome>('run', '--file', world.write('wide.csv', file), ...asOf);
    const { rows } = read(ran.document.reports?.corrections);
    expect(rows).toMatchObject([{ UniqueID: paymentId(2), Problems: 'The row has 37 cells; a row has 36.' }]);
    const left = await giveBack(world, ran.document, {});
    expect(left.document).toMatchObject({ corrected: [], unchanged: 1 });
    const confirmed = await giveBack(world, ran.document, { 0: { Problems: '' } });
    expect(confirmed.document).toMatchObject({ corrected: [{ line: 3 }] });
  });

  test('given to a withdrawn file is refused', async () => {
    const world = await shop(named(1), comma);
    const outcome = await rerun(world);
    await world.recon('files', 'withdraw', 'settlement.csv', '--reason', 'wrong');
    const { code, document } = await giveBack(world, outcome, { 0: { Amount: '100.00' } });
    expect(code).toBe(2);
    expect(JSON.stringify(document)).toContain('settlement.csv is withdrawn; restore it first');
  });
});
