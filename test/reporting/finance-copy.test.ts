import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReportPaths } from '../../src/outcome.js';
import { needs } from '../support/needs.js';
import { folderForThisTest } from '../support/test-folder.js';
import { createWorld, discrepancy, id32, match, payment, type StoredFile, type World } from './world.js';

/** Reads every report back, column by column, as finance does, with whatever senders and merchants wrote. */
let world: World;

beforeEach(async () => {
  world = await createWorld();
});

afterEach(() => world.end());

type Row = Readonly<Record<string, string>>;
const tableNames = ['discrepancies', 'rejectedRows', 'chargebacks'] as const;

function readTable(file: string): Row[] {
  return parse<Row>(readFileSync(file), {
    delimiter: ';',
    columns: true,
    bom: true,
    record_delimiter: '\r\n',
  });
}

/** Columns without text: numbers and dates in our own format. */
const bare: Readonly<Record<string, RegExp>> = {
  Line: /^\d*$/,
  Amount: /^(-?\d+\.\d{2})?$/,
  SettlementAmount: /^(-?\d+\.\d{2})?$/,
  Difference: /^(-?\d+\.\d{2})?$/,
  FirstSeenRun: /^\d+$/,
  SettlementDate: /^(\d{4}-\d{2}-\d{2})?$/,
  PaidAmount: /^(-?\d+\.\d{2})?$/,
  PaidOn: /^(\d{4}-\d{2}-\d{2})?$/,
  CorrectedOn: /^(\d{4}-\d{2}-\d{2})?$/,
  ReversedOn: /^(\d{4}-\d{2}-\d{2})?$/,
  ReversedAmount: /^(\d+\.\d{2})?$/,
};
/** Columns that only we fill: codes of a closed list, and ids of letters and digits. */
const ours = [
  ...[
    'DiscrepancyId',
    'Code',
    'Severity',
    'ReconciliationType',
    'MatchingStatus',
    'MatchedBy',
    'UniqueID',
  ].map((column) => `discrepancies.${column}`),
  ...['MatchedTransactions', 'PaymentId', 'ChargebackId', 'Currency', 'SettlementCurrency'].map(
    (column) => `discrepancies.${column}`,
  ),
  ...['DifferenceCurrency', 'MatchedThrough', 'PaidCurrency', 'PaidAs'].map(
    (column) => `discrepancies.${column}`,
  ),
  ...['ChargebackId', 'Status', 'PaymentId', 'Currency', 'ReversedCurrency'].map(
    (column) => `chargebacks.${column}`,
  ),
];

/** A chargeback with a finding and a rejected row: every text of them is this one. */
async function publishWith(text: string): Promise<ReportPaths> {
  const cells = Object.fromEntries(textColumns.map((column) => [column, text]));
  const issue = { column: text, code: text, message: text, value: text };
  const file: StoredFile = {
    id: 1,
    name: text,
    source: text,
    reportName: 'in.csv',
    lines: [
      { kind: 'record', cells: { ...cells, ReconciliationType: 'CHARGEBACK', Cashflow: 'NEG' } },
      { kind: 'rejected', raw: 'x', issues: [issue] },
    ],
  };
  await world.load(file);
  await world.store([
    payment(1, { merchant_transaction_id: text, merchant_invoice_id: text, entity_id: text }),
    match([1, 2], 'MATCHED', { matched_by: 'UNIQUE_ID', payment_key: 1 }),
    discrepancy('d1', 'CASHFLOW_MISMATCH', {
      file_id: 1,
      line: 2,
      expected: text,
      actual: text,
      message: text,
    }),
    [
      'chargeback_links',
      {
        file_id: 1,
        line: 2,
        kind: 'CHARGEBACK',
        chargeback_id: id32('cb1'),
        booking_id: id32('cb1'),
        payment_key: 1,
        run_id: 1,
      },
    ],
  ]);
  await world.transact(async (tx) => {
    await tx`update rejected_rows set raw_text = ${text}`;
    await tx`
      insert into row_corrections (file_id, line, cells, settlement_date, author, decided_on, decided_at, sheet_name,
        sheet_sha256, sheet_line)
      select file_id, line, '[]', '2026-11-19', ${text}, '2026-11-20', now(), 'corrections.csv', '0', 2
      from rejected_rows`;
  });
  return world.publish();
}

/** Columns of a settlement file that take a sender's text into a report. */
const textColumns = [
  ...['PaymentType', 'MerchantAccountId', 'SettlementTxId', 'ShortId', 'SettlementStatus'],
  ...['ReasonCode', 'ReasonDesc'],
];

/** Every cell with somebody else's text: report, column, content. */
function foreignTexts(reports: ReportPaths): [report: string, column: string, cell: string][] {
  return tableNames.flatMap((name) =>
    readTable(reports[name]).flatMap((row) =>
      Object.entries(row)
        .filter(([column]) => bare[column] === undefined && !ours.includes(`${name}.${column}`))
        .map(([column, cell]): [string, string, string] => [name, column, cell]),
    ),
  );
}

/** What a spreadsheet takes for a formula, or strips and then takes for one. */
const starts = [
  ...['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', '﹢', '﹣', '﹦', '﹫', '−'],
  ...[' =', '"=', `'=`, ';=', ',=', '\t=', '\u00a0=', '\u200b=', '\ufeff=', '|=', '"";"='],
];

describe('F101 text from others never starts a formula in a cell', () => {
  test.each(starts)('%j, in every column of every report', async (start) => {
    const text = `${start}HYPERLINK("http://x.example";"a")`;
    const reports = await publishWith(text);
    const cells = foreignTexts(reports);
    expect(new Set(cells.map(([report, column]) => `${report}.${column}`)).size).toBe(25);
    for (const [report, column, cell] of cells) {
      expect(
        cell.startsWith("'"),
        `${report}.${column} begins with ${JSON.stringify(cell.slice(0, 5))}`,
      ).toBe(true);
      expect(cell.replaceAll("'", '')).toBe(text.replaceAll("'", ''));
    }
    for (const name of tableNames) {
      const content = readFileSync(reports[name], 'utf8');
      // Whatever a program splits at, no piece of a line begins with a character that starts a formula.
      expect(content.split(/[;,|\t\r\n"]/).filter((piece) => /^[=@＝＠﹦﹫]/.test(piece))).toEqual([]);
      for (const row of readTable(reports[name])) {
        for (const [column, shape] of Object.entries(bare)) {
          if (column in row) expect(row[column], column).toMatch(shape);
        }
      }
    }
  });
});

/** Texts that a spreadsheet would convert. */
const reshaped = [
  ...[
    '0012',
    '12345678901234567',
    '0000000000000000000000',
    '1E10',
    '1-2',
    '1,5',
    '1.5',
    'TRUE',
    'NULL',
    '#N/A',
  ],
  ...[
    'Ü-Ä-ö-ß €',
    'ЖЗ',
    '日本語',
    '2026-11-19',
    '19.11.2026',
    'MAR1',
    '5%',
    '12:30',
    'sep=,',
    'a;b',
    'say "hi"',
    ' x ',
  ],
];

describe('F104 what finance reads is what was stored', () => {
  test('every text reads back as it was, the machine copy too', async () => {
    for (const text of reshaped) {
      const reports = await publishWith(text);
      const different = foreignTexts(reports).filter(([, , cell]) => cell !== text);
      // An amount in words is a number again.
      expect(different.filter(([, column]) => !['Expected', 'Actual'].includes(column))).toEqual([]);
      const [copied] = parse<Row>(readFileSync(reports.reconciled[0] ?? ''), {
        delimiter: ';',
        columns: true,
      });
      for (const column of textColumns) expect(copied?.[column]).toBe(text);
      await world.end();
      world = await createWorld();
    }
  });

  test('texts are quoted and numbers are not: that is what an import tells them apart by', async () => {
    const { discrepancies } = await publishWith('0012');
    const [, line = ''] = readFileSync(discrepancies, 'utf8').split('\r\n');
    expect(line).toContain(';"0012";');
    expect(line).toContain(';100.00;');
    expect(readFileSync(discrepancies, 'utf8')).not.toContain('sep=');
  });

  const office = needs.libreOffice();
  test.runIf(office.isMet)(
    'LibreOffice sees texts and no formula',
    { ...office.orSkipped, timeout: 120_000 },
    async () => {
      const [copies, out] = [folderForThisTest(), folderForThisTest()];
      const texts = [...reshaped, '=1+1', '+1', '@x'];
      for (const [index, text] of texts.entries()) {
        const { discrepancies, directory } = await publishWith(text);
        cpSync(path.join(directory, path.basename(discrepancies)), path.join(copies, `${index}.csv`));
        await world.end();
        world = await createWorld();
      }
      // It starts once for all: that takes longer than the whole rest of this file.
      execFileSync(office.command, [
        `-env:UserInstallation=file://${path.join(out, 'profile')}`,
        '--headless',
        // Separator, quote, UTF-8, from line 1, no formats, language of the system, quoted cells are texts.
        '--infilter=CSV:59,34,UTF8,1,,0,true,false,false',
        ...['--convert-to', 'fods', '--outdir', out],
        ...texts.map((_, index) => path.join(copies, `${index}.csv`)),
      ]);
      for (const [index, text] of texts.entries()) {
        const sheet = readFileSync(path.join(out, `${index}.fods`), 'utf8');
        expect(sheet).not.toContain('table:formula');
        expect(sheet).toContain('office:value-type="float"');
        if (/^\w+$/.test(text)) expect(sheet).toContain(`<text:p>${text}</text:p>`);
      }
    },
  );
});
