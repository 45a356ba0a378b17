import { describeInvalidByte } from '../../src/damaged-input/encoding.js';
import { saveAsCsv } from '../../src/damaged-input/save-as-csv.js';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { plainArchive } from '../support/archive.js';
import type { RunOutcome } from '../../src/outcome.js';
import { columns, headerLine } from '../../src/settlement-file/columns.js';
import { fileOf, rowLine } from '../settlement-file/rows.js';
import { runCli } from '../support/cli.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';

/*
 * What a person sees of a faulty file: one night in which every file has another fault, taken in by the real
 * command. Each file is reported with its own outcome and none disturbs another. How the reader comes to its
 * verdict, in chunks of any size, is tested beside it.
 */

let written = 0;

/** A valid row that no other file holds, with some cells changed. */
function row(changes: Readonly<Record<string, string>> = {}): string {
  written += 1;
  return rowLine({ SettlementTxId: `ROW-${written}`, ...changes });
}

/** A file whose middle row is the one in question; the valid rows around it must be taken all the same. */
const around = (...middle: readonly string[]): string => fileOf(row(), ...middle, row());

const names = columns.map((column) => column.name);
const header = (changed: readonly string[]): string => `${changed.join(';')}\n${row()}\n`;

/** Rows that passed of all rows and the issues by line, or the reason why the whole file was refused. */
type Reported = readonly string[];
type Case = readonly [what: string, content: string | Buffer, reported: Reported];

const whole: readonly Case[] = [
  ['F46 a header alone', `${headerLine}\n`, ['loaded 0 of 0']],
  ['F46 a header alone without line ending', headerLine, ['loaded 0 of 0']],
  [
    'F47 no header',
    `${row()}\n`,
    [
      `rejected FILE_HEADER Header column 1 must be ReconciliationType, not 'SETTLED'. The first line looks like a row: is the line with the names missing?`,
    ],
  ],
  [
    'F47 a renamed column',
    header(names.with(15, 'Betrag')),
    [`rejected FILE_HEADER Header column 16 must be Amount, not 'Betrag'.`],
  ],
  [
    'F47 a column twice',
    header(names.with(16, 'Amount')),
    [`rejected FILE_HEADER Header column 17 must be Currency, not 'Amount'.`],
  ],
  [
    'F47 35 columns',
    header(names.slice(0, 35)),
    ['rejected FILE_HEADER Header column 36, ChargebackId, is missing; the header has 35 of 36 names.'],
  ],
  [
    'F47 37 columns',
    header([...names, 'Comment']),
    [`rejected FILE_HEADER Header column 37 is one too many: 'Comment'; a header has 36 names.`],
  ],
  [
    'F48 columns in another order',
    header(names.toReversed()),
    [`rejected FILE_HEADER Header column 1 must be ReconciliationType, not 'ChargebackId'.`],
  ],
  ['F49 a byte order mark', `\ufeff${fileOf(row())}`, ['loaded 1 of 1']],
  [
    'F49 a byte order mark below the header',
    around(`\ufeff${row()}`),
    ['loaded 2 of 3', '3 ReconciliationType CONTROL_CHARACTER'],
  ],
  [
    'F49 names in lower case',
    header(names.map((name) => name.toLowerCase())),
    [
      `rejected FILE_HEADER Header column 1 must be ReconciliationType, not 'reconciliationtype'. The names are case-sensitive.`,
    ],
  ],
  [
    'F49 a blank after a name',
    header(names.with(35, 'ChargebackId ')),
    [
      `rejected FILE_HEADER Header column 36 must be ChargebackId, not 'ChargebackId '. A space or an invisible character is before or after the name.`,
    ],
  ],
  [
    'F50 commas',
    fileOf(row()).replaceAll(';', ','),
    [
      `rejected FILE_HEADER Header column 1 must be ReconciliationType, not '${names.join(',').slice(0, 80)}…'.` +
        ' The names are separated by commas; is the delimiter wrong? It must be a semicolon.',
    ],
  ],
  [
    'F50 tabs below a right header',
    `${headerLine}\n${row().replaceAll(';', '\t')}\n`,
    [
      'rejected FILE_NO_VALID_ROW The only row is not valid.\n  Row: 1 of 1 row. Line 2: The row has 1 cell; a row has 36.',
    ],
  ],
  [
    'F51 35 and 37 cells',
    around(row().slice(0, -1), `${row()};`),
    ['loaded 2 of 4', '3  COLUMN_COUNT', '4  COLUMN_COUNT'],
  ],
  [
    'F52 a delimiter, a line feed and quotes inside quotes',
    around(row({ AccountHolder: '"Jones; ""Jo""\nLondon"' }), row({ Amount: 'x' })),
    // The quoted row is on lines 3 and 4.
    ['loaded 3 of 4', '5 Amount NOT_AN_AMOUNT'],
  ],
  [
    'F52 the line of a row is its first',
    around(row({ AccountHolder: '"a\nb\nc"', Amount: 'x' })),
    ['loaded 2 of 3', '3 Amount NOT_AN_AMOUNT'],
  ],
  [
    'F53 a quote that is never closed',
    around(row({ AccountHolder: '"Jones' }), row(), row()),
    ['rejected FILE_QUOTE In the record that begins on line 3, a quote is opened and never closed.'],
  ],
  [
    'F54 a quote inside a cell',
    around(row({ AccountHolder: 'Jo"nes' })),
    [
      'rejected FILE_QUOTE In the record that begins on line 3, a quote is in the wrong place: inside a cell' +
        ' that is not quoted, or before text that follows a closing quote.',
    ],
  ],
  [
    'F54 text after a closing quote',
    around(row({ AccountHolder: '"Jo"nes' })),
    [
      'rejected FILE_QUOTE In the record that begins on line 3, a quote is in the wrong place: inside a cell' +
        ' that is not quoted, or before text that follows a closing quote.',
    ],
  ],
  ['F55 CRLF', around(row()).replaceAll('\n', '\r\n'), ['loaded 3 of 3']],
  ['F55 LF and CRLF mixed', `${headerLine}\r\n${row()}\n${row()}\r\n`, ['loaded 2 of 2']],
  ['F55 no final line ending', around(row()).slice(0, -1), ['loaded 3 of 3']],
  [
    'F55 lone CR as line ending',
    `${headerLine}\n${row()}\n${row()}\r${row()}\n`,
    ['loaded 1 of 2', '3  COLUMN_COUNT'],
  ],
  [
    'F55 lone CR, the header too',
    around(row()).replaceAll('\n', '\r'),
    [
      `rejected FILE_HEADER Header column 36 must be ChargebackId, not 'ChargebackId\\u000dSETTLED'.` +
        ' A line ends with LF or CRLF, not with CR alone.',
    ],
  ],
  ['F56 cut in the last row', around(row()).slice(0, -40), ['loaded 2 of 3', '4  COLUMN_COUNT']],
  ['F57 blank lines at the end', `${around(row())}\r\n\n`, ['loaded 3 of 3']],
  [
    'F57 blank lines in the middle',
    around('', row(), '\r'),
    ['loaded 3 of 5', '3  COLUMN_COUNT', '5  COLUMN_COUNT'],
  ],
  ...([true, false] as const).flatMap((isMarked): Case[] => {
    const reported = (name: string): Reported => [
      `rejected FILE_ENCODING The file is ${name}, from byte 0 on line 1; it must be UTF-8 text: ${saveAsCsv}.`,
    ];
    const text = `${isMarked ? '\ufeff' : ''}${around(row())}`;
    const mark = isMarked ? 'with' : 'without';
    return [
      [`F58 UTF-16LE ${mark} a mark`, Buffer.from(text, 'utf16le'), reported('UTF-16LE')],
      [`F58 UTF-16BE ${mark} a mark`, Buffer.from(text, 'utf16le').swap16(), reported('UTF-16BE')],
    ];
  }),
  [
    'F59 Windows-1252',
    Buffer.from(`${headerLine}\n${rowLine({ AccountHolder: 'M\u00fcller' })}\n`, 'latin1'),
    [
      `rejected FILE_ENCODING The file is not UTF-8: byte 0xfc at offset ${headerLine.length + 1 + rowLine({ AccountHolder: 'M#' }).indexOf('#')}, on line 2; ${describeInvalidByte(0xfc)}.`,
    ],
  ],
  [
    'F60 an overlong form',
    Buffer.concat([Buffer.from(fileOf(rowLine())), Buffer.from([0xc0, 0xaf, 0x0a])]),
    [
      `rejected FILE_ENCODING The file is not UTF-8: byte 0xc0 at offset ${fileOf(rowLine()).length}, on line 3; ${describeInvalidByte(0xc0)}.`,
    ],
  ],
  [
    'F61 a record over the limit',
    around('x'.repeat(1024 * 1024 + 1)),
    ['rejected FILE_RECORD_TOO_LONG The record that begins on line 3 is longer than 1048576 bytes (1 MiB).'],
  ],
  ['F61 a million cells', around(';'.repeat(999_999)), ['loaded 2 of 3', '3  COLUMN_COUNT']],
  [
    'F66 a footer is a row like any other: no source declares one',
    fileOf(row(), row(), 'TOTAL;2;200.00'),
    ['loaded 2 of 3', '4  COLUMN_COUNT'],
  ],
];

/** A file with one cell out of order, refused with this code or, without one, taken. */
function cellCase(what: string, column: string, cell: string, code?: string): Case {
  return [
    `${what}: ${column} ${JSON.stringify(cell)}`,
    around(row({ [column]: cell })),
    code === undefined ? ['loaded 3 of 3'] : ['loaded 2 of 3', `3 ${column} ${code}`],
  ];
}

const enumerated = columns.filter((column) => column.type.kind === 'enum');

const cells: readonly Case[] = [
  ...['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u00a0', '\u200b', '\u2028', '\ufeff'].map((found) =>
    cellCase('F60 a control or invisible character', 'Descriptor', `SH${found}OP`, 'CONTROL_CHARACTER'),
  ),
  ...enumerated.flatMap(({ name, required, type }) => {
    const [value = ''] = type.kind === 'enum' ? type.values : [];
    return [
      cellCase('F62 unknown', name, 'UNHEARD', 'NOT_ALLOWED_VALUE'),
      cellCase('F62 in lower case', name, value.toLowerCase(), 'NOT_ALLOWED_VALUE'),
      cellCase('F62 padded', name, ` ${value}`, 'NOT_ALLOWED_VALUE'),
      cellCase('F62 empty', name, '', required ? 'REQUIRED' : undefined),
    ];
  }),
  ...[
    ...['1,234.56', '1.234,56', '1234,56', '1e3', '0x10', ' 1.00', '1.00 ', '-0.00', '+1.00', 'NaN'],
    ...['1.005', '1', '.50', '1.', '12345678901.00', '12345678901234567890', '\u0661.00', '1 000.00'],
    // N13 has two decimals for every currency: what JPY and KWD would have instead is no amount here.
    ...['100', '.123', '1.123'],
  ].map((found) => cellCase('F63 an amount', 'Amount', found, 'NOT_AN_AMOUNT')),
  cellCase('F63 an amount', 'Amount', '', 'REQUIRED'),
  cellCase('F63 an amount', 'Amount', '9999999999.99'),
  ...['2026-02-30', '2026-04-31', '26-11-19', '11/19/2026', '2026-11-19 ', '20261119', '0000-00-00'].map(
    (found) => cellCase('F64 a day', 'SettlementDate', found, 'NOT_A_DATE'),
  ),
  ...['2026-11-18 24:00:00', '2026-11-18 23:59:60', '2026-11-18T10:00:05', '2026-02-30 10:00:05'].map(
    (found) => cellCase('F64 a time', 'TxRequestTime', found, 'NOT_A_TIMESTAMP'),
  ),
  // In the gap and in the overlap of daylight saving time the configured zone decides.
  cellCase('F64 a time', 'TxRequestTime', '2027-03-28 02:30:00'),
  cellCase('F64 a time', 'TxRequestTime', '2026-10-25 02:30:00 +0200'),
  // These are no faults of a row: that it contradicts something is found when it is matched.
  cellCase('F65 a sign against the type', 'Cashflow', 'NEG'),
  cellCase('F65 nothing', 'Amount', '0.00'),
  cellCase('F69 a card number where none may be', 'AccountNumberLast4', '4200000000000000', 'TOO_LONG'),
];

const cases: readonly Case[] = [...whole, ...cells];
const fileName = (position: number): string => `${String(position).padStart(3, '0')}.csv`;

const testDatabase = databaseForAllTests();
const directory = folderForAllTests();
let document: RunOutcome;
let exitCode: number;
const reported = new Map<string, string[]>();

beforeAll(async () => {
  const files = cases.map(([, content], position) => {
    const file = path.join(directory.path, fileName(position));
    writeFileSync(file, content);
    return file;
  });
  const result = await runCli(
    ['run', '--as-of', '2026-11-20', '--json', ...files.flatMap((file) => ['--file', file])],
    {
      cwd: directory.path,
      env: { RECON_DATABASE_URL: testDatabase.url, RECON_DATA_DIR: path.join(directory.path, 'data') },
    },
  );
  exitCode = result.code;
  // The document is checked by every case below.
  document = JSON.parse(result.stdout) as RunOutcome;
  for (const { name, status, error, rows } of document.files) {
    reported.set(name, [
      error === null
        ? `${status} ${rows.accepted} of ${rows.total}`
        : `${status} ${error.code} ${error.message}`,
    ]);
  }
  const issues = await testDatabase.database.sql<{ name: string; issue: string }[]>`
    select f.name, concat_ws(' ', r.line, i ->> 'column', i ->> 'code') as issue
    from rejected_rows r join settlement_files f on f.id = r.file_id, jsonb_array_elements(r.issues) i
    order by f.name, r.line`;
  for (const { name, issue } of issues) reported.get(name)?.push(issue);
}, 120_000);

test.each(cases.map((one, position) => [one[0], fileName(position), one[2]] as const))(
  '%s',
  (_what, name, expected) => {
    expect(reported.get(name)).toEqual(expected);
  },
);

test('F51 such a run completes, and its exit code reports that something was rejected', () => {
  expect({ exitCode, status: document.status, files: document.files.length }).toEqual({
    exitCode: 1,
    status: 'completed',
    files: cases.length,
  });
});

test('F46 F53 a rejected file leaves no row, and none of its bytes is lost', async () => {
  const [left] = await testDatabase.database.sql<{ rows: number; known: number }[]>`
    select count(*) filter (where f.status = 'rejected')::int as rows,
      (select count(*)::int from already_known_rows) as known
    from settlement_files f join
      (select file_id from settlement_records union all select file_id from rejected_rows) r on r.file_id = f.id`;
  expect(left).toEqual({ rows: 0, known: 0 });
  for (const { sha256 } of document.files) {
    expect(await plainArchive(path.join(directory.path, 'data')).isIntact(sha256 ?? '')).toBe(true);
  }
});
