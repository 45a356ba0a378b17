import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { paymentId, paymentsFile, settlementFile } from './installation.js';
import { recon } from './recon.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';

/**
 * Files as spreadsheets and transfers damage them, given to the command line. Each case ends with what a person then
 * reads: the message for the file, or the issues of its rows.
 */

const testDatabase = databaseForAllTests();
const folder = folderForAllTests();

beforeAll(() => {
  writeFileSync(
    path.join(folder.path, 'recon.config.yaml'),
    `dataDirectory: data\ndatabaseUrl: ${testDatabase.url}\nlogLevel: silent\n`,
  );
});

type Change = (text: string) => string | Buffer;

const cell = (name: string, value: string | ((cell: string) => string)): Change =>
  changedCells(name, value, () => true);
const oneCell = (name: string, value: string): Change => changedCells(name, value, (line) => line === 2);

/** The text with the cells of a column replaced in the given lines (the header is line 1). */
function changedCells(
  name: string,
  value: string | ((cell: string) => string),
  meant: (line: number) => boolean,
): Change {
  return (text) => {
    const [header = '', ...rows] = text.split('\n');
    const at = header.split(';').indexOf(name);
    const changed = rows.map((row, index) => {
      const cells = row.split(';');
      if (cells.length === 1 || !meant(index + 2)) return row;
      return cells.with(at, typeof value === 'string' ? value : value(cells[at] ?? '')).join(';');
    });
    return [header, ...changed].join('\n');
  };
}

const xlsx = Buffer.from(
  'PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00[Content_Types].xml \xa2\x04\x02',
  'latin1',
);
const ods = Buffer.from(
  'PK\x03\x04\x14\x00\x00\x08\x00\x00mimetypeapplication/vnd.oasis.opendocument.spreadsheet',
  'latin1',
);
const zip = Buffer.from('PK\x03\x04\x14\x00\x08\x00\x08\x00settlement.csv', 'latin1');
const xls = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...new Array<number>(600).fill(0)]);
const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const html = '\r\n<!DOCTYPE html>\n<html><body>Please log in</body></html>\n';
const utf16 =
  (swapped: boolean, mark: boolean): Change =>
  (text) => {
    const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le');
    return swapped ? bytes.swap16() : bytes;
  };

const lastRow =
  (row: string): Change =>
  (text) =>
    `${text}${row}\n`;
const separated =
  (by: string): Change =>
  (text) =>
    text.replaceAll(';', by);
const same: Change = (text) => text;

/** How a valid file of five rows is changed, and what is reported about it. */
const settlements: readonly (readonly [what: string, change: Change, read: string | readonly string[]])[] = [
  ['a good file', same, 'loaded 5 of 5'],
  ['BOM and CRLF', (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`, 'loaded 5 of 5'],
  ['all quoted', (text) => text.replace(/[^;\n]+/g, '"$&"'), 'loaded 5 of 5'],
  ['blank last lines', (text) => `${text}\n\n`, 'loaded 5 of 5'],
  ['gzip', (text) => gzipSync(text), 'loaded 5 of 5'],
  [
    'an Excel workbook',
    () => xlsx,
    'The file is an Excel workbook (.xlsx), from byte 0 on line 1; it must be UTF-8 text: open it in the spreadsheet and save the sheet as "CSV UTF-8" with semicolons.',
  ],
  ['an OpenDocument sheet', () => ods, 'The file is an OpenDocument spreadsheet (.ods), from byte 0'],
  [
    'a damaged ZIP archive',
    () => zip,
    'is damaged or incomplete and cannot be unpacked: End of central directory record signature not found',
  ],
  ['an old workbook', () => xls, 'The file is an old Excel workbook (.xls), from byte 0'],
  [
    'a web page',
    () => html,
    'The file is a web page (HTML), from byte 0 on line 1; it must be UTF-8 text: it may be a login or error page',
  ],
  ['a picture', () => png, 'The file is a picture (PNG), from byte 0 on line 1; it must be UTF-8 text: ask'],
  ['a RAR archive', () => Buffer.from('Rar!\x1a\x07\x01\x00', 'latin1'), 'The file is a RAR archive'],
  [
    'a JSON document',
    () => '{"error":"not found"}',
    'The file is a JSON document, from byte 0 on line 1; it must be UTF-8 text: it may be an error message, so fetch',
  ],
  ['a JSON list', () => '[\n  {"id": 1}\n]\n', 'The file is a JSON document'],
  [
    'bytes that are not text',
    () => Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 31) % 128)),
    'The file is binary data, from byte 0 on line 1; it must be UTF-8 text: ask the sender for the CSV file',
  ],
  [
    'an OpenPGP message that is only signed',
    () => Buffer.from([0xa3, 0x01, 0x5b, 0x0d, 0x03]),
    'The file is an OpenPGP message that is signed and not encrypted, from byte 0',
  ],
  [
    'a text that is signed with OpenPGP',
    (text) => `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${text}`,
    'The file is an OpenPGP message that is signed and not encrypted',
  ],
  [
    'UTF-16LE with mark',
    utf16(false, true),
    'The file is UTF-16LE, from byte 0 on line 1; it must be UTF-8 text: save it as "CSV UTF-8"',
  ],
  ['UTF-16BE with mark', utf16(true, true), 'The file is UTF-16BE, from byte 0'],
  ['UTF-16LE without mark', utf16(false, false), 'The file is UTF-16LE, from byte 0'],
  [
    'Windows-1252',
    (text) => Buffer.from(String(oneCell('MerchantAccountName', 'Müller')(text)), 'latin1'),
    /* the line, the character, what to do */ `on line 2; in Windows-1252 it would be 'ü': save it as "CSV UTF-8" with semicolons, or ask the sender for UTF-8.`,
  ],
  [
    'commas',
    separated(','),
    'The names are separated by commas; is the delimiter wrong? It must be a semicolon.',
  ],
  ['tabs', separated('\t'), 'The names are separated by tabs; is the delimiter wrong?'],
  [
    'an upper-case header',
    (text) => text.replace('ReconciliationType', 'RECONCILIATIONTYPE'),
    `Header column 1 must be ReconciliationType, not 'RECONCILIATIONTYPE'. The names are case-sensitive.`,
  ],
  [
    'a header with blanks',
    (text) => text.replace('ReconciliationType', 'ReconciliationType '),
    `Header column 1 must be ReconciliationType, not 'ReconciliationType '. A space or an invisible character is before or after the name.`,
  ],
  [
    'swapped columns',
    (text) => text.replace('Amount;Currency', 'Currency;Amount'),
    `Header column 16 must be Amount, not 'Currency'.`,
  ],
  [
    'a first column that is missing',
    (text) => text.replaceAll(/^[^;\n]+;/gm, ''),
    `Header column 1 must be ReconciliationType, not 'PaymentType'. The header has 35 of 36 names.`,
  ],
  [
    'no header',
    (text) => text.slice(text.indexOf('\n') + 1),
    `Header column 1 must be ReconciliationType, not 'SETTLED'. The first line looks like a row: is the line with the names missing?`,
  ],
  [
    'an empty first line',
    (text) => `\n${text}`,
    `Header column 1 must be ReconciliationType, not ''. The first line is empty; it must have the 36 names.`,
  ],
  [
    'a first line with the separator',
    (text) => `sep=;\n${text}`,
    `Header column 1 must be ReconciliationType, not 'sep='. A spreadsheet wrote this line for itself; it must be removed.`,
  ],
  ['an extra column', (text) => text.replace('\n', ';Comment\n'), 'Header column 37 is one too many'],
  [
    'decimal commas',
    cell('Amount', '150,51'),
    `Amount: 5 of 5 rows, for example '150,51' (decimal comma?). Line 2: Amount must be 1 to 10 digits, a dot and 2 digits, for example 123.45. It looks like a decimal comma: write 150.51.`,
  ],
  [
    'thousands separators',
    cell('Amount', '1,150.51'),
    `Amount: 5 of 5 rows, for example '1,150.51' (thousands separators?).`,
  ],
  [
    'thousands and decimal comma',
    cell('Amount', '1.150,51'),
    `Amount: 5 of 5 rows, for example '1.150,51' (thousands separators?).`,
  ],
  [
    'missing decimals',
    cell('Amount', '150'),
    `Amount: 5 of 5 rows, for example '150' (missing decimals?). Line 2: Amount must be 1 to 10 digits, a dot and 2 digits, for example 123.45. It looks like missing decimals: write 150.00.`,
  ],
  [
    '##### in an amount',
    cell('Amount', '#####'),
    `Amount: 5 of 5 rows, for example '#####' (error value of a spreadsheet?).`,
  ],
  ['an amount with its currency', oneCell('Amount', '150.51 EUR'), ['2 Amount NOT_AN_AMOUNT']],
  ['a currency where the amount should be', oneCell('Amount', 'EUR'), ['2 Amount NOT_AN_AMOUNT']],
  [
    'two columns that fail in every row',
    (text) => String(cell('SettlementDate', '19.11.2026')(String(cell('Amount', '150,51')(text)))),
    `SettlementDate: 5 of 5 rows, for example '19.11.2026' (date in a national format?).`,
  ],
  [
    '1.23E+31 in a reference',
    cell('SettlementTxId', '1.23E+31'),
    `SettlementTxId: 5 of 5 rows, for example '1.23E+31' (number that a spreadsheet shortened?).`,
  ],
  [
    '1,23E+31 in one reference',
    oneCell('ConnectorTxId2', '1,23E+31'),
    ['2 ConnectorTxId2 SPREADSHEET_NUMBER'],
  ],
  ['#NAME? in a reference', oneCell('ShortId', '#NAME?'), ['2 ShortId SPREADSHEET_ERROR']],
  ['a lost leading zero', oneCell('AccountNumberLast4', '615'), ['2 AccountNumberLast4 LOST_ZEROS']],
  ['a German date', oneCell('SettlementDate', '19.11.2026'), ['2 SettlementDate NOT_A_DATE']],
  ['an American date', oneCell('SettlementDate', '11/19/2026'), ['2 SettlementDate NOT_A_DATE']],
  ['day and month exchanged', oneCell('SettlementDate', '2026-19-11'), ['2 SettlementDate NOT_A_DATE']],
  [
    'a time without seconds',
    oneCell('TxRequestTime', '2026-11-18 10:00'),
    ['2 TxRequestTime NOT_A_TIMESTAMP'],
  ],
  [
    'empty rows below the table',
    (text) => `${text}${';'.repeat(35)}\n${';'.repeat(35)}\n`,
    ['7  EMPTY_ROW', '8  EMPTY_ROW'],
  ],
  ['an empty row in the middle', (text) => text.replace('\n', `\n${';'.repeat(35)}\n`), ['2  EMPTY_ROW']],
  ['a footer', lastRow('TOTAL;5;;;;'), ['7  COLUMN_COUNT']],
  [
    'a header and nothing else',
    (text) => text.slice(0, text.indexOf('\n') + 1),
    'loaded 0 of 0, The file has a header and no rows; ask the sender if settlements were expected.',
  ],
  [
    'a no-break space',
    oneCell('MerchantAccountName', 'Shop\u00a0GmbH'),
    ['2 MerchantAccountName CONTROL_CHARACTER'],
  ],
];

const nameOf = (what: string) => `with ${what.replaceAll(/[^\w]+/g, ' ').trim()}.csv`;

interface FileDocument {
  readonly name: string;
  readonly status: string;
  readonly error: { readonly message: string } | null;
  readonly note?: string;
  readonly rows: { readonly total: number; readonly accepted: number };
}

describe('settlement files', () => {
  let files: ReadonlyMap<string, FileDocument>;
  let issues: readonly (readonly string[])[];
  let report: string;
  let terminal: string;

  beforeAll(async () => {
    mkdirSync(path.join(folder.path, 'files'));
    const args = settlements.flatMap(([what, change], index) => {
      // Each file has its own payments, so that no file is a duplicate of another.
      const good = settlementFile(...[1, 2, 3, 4, 5].map((number) => 10 * index + number));
      const file = path.join(folder.path, `files/${nameOf(what)}`);
      writeFileSync(file, change(good));
      utimesSync(file, 1_763_000_000, 1_763_000_000);
      return ['--file', file];
    });
    const { stdout } = await recon(['run', '--as-of', '2026-11-20', '--json', ...args], { cwd: folder.path });
    const document = JSON.parse(stdout) as { files: FileDocument[]; reports: { rejectedRows: string } };
    files = new Map(document.files.map((file) => [file.name, file]));
    report = readFileSync(document.reports.rejectedRows, 'utf8');
    issues = parse(report, { delimiter: ';', bom: true });
    terminal = (
      await recon(
        [
          'run',
          '--as-of',
          '2026-11-20',
          '--file',
          path.join(folder.path, `files/${nameOf('a header and nothing else')}`),
        ],
        { cwd: folder.path },
      )
    ).stdout;
  });

  test.each(settlements)('%s', (what, _change, read) => {
    const name = nameOf(what);
    const file = files.get(name);
    const { total = 0, accepted = 0 } = file?.rows ?? {};
    if (typeof read !== 'string') {
      const found = issues
        .filter((line) => line[1] === name)
        .map(([, , line, column, code]) => `${line} ${column} ${code}`);
      expect(found).toEqual(read);
      expect(file?.status).toBe('loaded');
    } else if (read.startsWith('loaded')) {
      const note = file?.note === undefined ? '' : `, ${file.note}`;
      expect(`${file?.status} ${accepted} of ${total}${note}`).toBe(read);
    } else {
      expect(file).toMatchObject({ status: 'rejected' });
      expect(file?.error?.message).toContain(read);
    }
  });

  test.each([
    ['a no break space', 'MerchantAccountName holds a no-break space (U+00A0) as character 5.'],
    [
      'a lost leading zero',
      'AccountNumberLast4 must have four digits. It looks like lost leading zeros: write 0615.',
    ],
    [
      '#NAME? in a reference',
      'ShortId must be the reference itself. It looks like an error value of a spreadsheet: the value is lost',
    ],
    [
      '1,23E+31 in one reference',
      'It looks like a number that a spreadsheet shortened: the value is lost, so take the file as it was',
    ],
    ['day and month exchanged', 'It looks like day and month exchanged: write yyyy-MM-dd.'],
    ['an amount with its currency', 'It looks like an amount with its currency: write the number only.'],
    ['a time without seconds', 'It looks like no seconds: a spreadsheet drops them'],
    ['an empty row in the middle', 'The row is empty: it has only separators'],
  ])('%s: rejected-rows.csv describes the likely cause', (what, sentence) => {
    const line = issues.find((each) => each[1] === nameOf(what));
    expect(line?.[5]).toContain(sentence);
  });

  test('a currency where the amount should be is not described as an amount', () => {
    const line = issues.find((each) => each[1] === nameOf('a currency where the amount should be'));
    expect(line?.[5]).toBe('Amount must be 1 to 10 digits, a dot and 2 digits, for example 123.45.');
  });

  test('each issue has one line in the report', () => {
    expect(report.trimEnd().split('\r\n')).toHaveLength(issues.length);
  });

  test('the summary on a terminal shows that a file has no rows', () => {
    expect(terminal).toContain('with a header and nothing else.csv');
  });
});

/** How a valid file of three payments is changed, and what `payments import` prints. */
const payments: readonly (readonly [what: string, change: Change, code: number, says: string])[] = [
  ['a good file', same, 0, '3 payments read: 3 new'],
  ['BOM and CRLF', (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`, 0, '3 new'],
  [
    'gzip',
    (text) => gzipSync(text),
    2,
    'line 1: the file is a gzip archive, not a CSV file: unpack it and take the CSV file inside',
  ],
  [
    'an Excel workbook',
    () => xlsx,
    2,
    'line 1: the file is an Excel workbook (.xlsx), not a CSV file: open it',
  ],
  ['a web page', () => html, 2, 'line 1: the file is a web page (HTML), not a CSV file'],
  ['UTF-16LE', utf16(false, true), 2, 'line 1: the file is UTF-16LE, not a CSV file: save it as "CSV UTF-8"'],
  ['UTF-16BE', utf16(true, false), 2, 'line 1: the file is UTF-16BE, not a CSV file'],
  [
    'Windows-1252',
    (text) => Buffer.from(text.replace('order-3', 'Köln'), 'latin1'),
    2,
    `line 4: holds a byte that is not UTF-8, 0xf6; in Windows-1252 it would be 'ö': save it as "CSV UTF-8"`,
  ],
  [
    'commas',
    separated(','),
    2,
    'The names are separated by commas; is the delimiter wrong? It must be a semicolon.',
  ],
  ['tabs', separated('\t'), 2, 'The names are separated by tabs'],
  [
    'decimal commas',
    cell('Amount', '150,51'),
    2,
    'line 2, Amount: must be 1 to 10 digits, a dot and 2 digits, not "150,51". It looks like a decimal comma: write 150.51.',
  ],
  [
    'missing decimals',
    oneCell('Amount', '150'),
    2,
    'not "150". It looks like missing decimals: write 150.00.',
  ],
  [
    '##### in an amount',
    oneCell('Amount', '#####'),
    2,
    'It looks like an error value of a spreadsheet: the value is lost',
  ],
  [
    '1.23E+31 in a connector id',
    oneCell('ConnectorTxId1', '1.23E+31'),
    2,
    'line 2, ConnectorTxId1: must be at most 128 characters without control or invisible characters, not "1.23E+31". It looks like a number that a spreadsheet shortened',
  ],
  [
    '1.23E+31 as payment id',
    oneCell('PaymentId', '8.1E+31'),
    2,
    'line 2, PaymentId: must be 32 letters or digits, not "8.1E+31". It looks like a number that a spreadsheet shortened',
  ],
  ['#NAME? in a reference', oneCell('MerchantTransactionId', '#NAME?'), 2, 'line 2, MerchantTransactionId'],
  [
    'a lost leading zero',
    oneCell('AccountNumberLast4', '615'),
    2,
    'line 2, AccountNumberLast4: must be at most 4 letters or digits, and four when all are digits, not "615". It looks like lost leading zeros: write 0615.',
  ],
  [
    'a German date',
    oneCell('Timestamp', '18.11.2026 10:00:00'),
    2,
    'It looks like a date in a national format: write yyyy-MM-dd.',
  ],
  [
    'a no-break space',
    oneCell('ShortId', '1001\u00a02'),
    2,
    'It holds a no-break space (U+00A0) as character 5.',
  ],
  [
    'empty rows below the table',
    (text) => `${text}${';'.repeat(15)}\n${';'.repeat(15)}\n`,
    0,
    '3 payments read: 3 new, 0 changed, 0 unchanged.\nSkipped 2 empty rows (only separators).',
  ],
  [
    'a header and nothing else',
    (text) => text.slice(0, text.indexOf('\n') + 1),
    0,
    'The file has a header and no payments.',
  ],
];

describe('payments files', () => {
  test.each(payments)('%s', async (_what, change, code, says) => {
    writeFileSync(path.join(folder.path, 'payments.csv'), change(paymentsFile(1, 2, 3)));
    const read = await recon(['payments', 'import', 'payments.csv', '--dry-run'], { cwd: folder.path });
    expect({ code: read.code, text: read.stdout + read.stderr }).toEqual({
      code,
      text: expect.stringContaining(says) as string,
    });
    const [stored] = await testDatabase.database.sql<{ count: number }[]>`
      select count(*)::int as count from payments where id = ${paymentId(1)}`;
    expect(stored?.count).toBe(0);
  });
});
