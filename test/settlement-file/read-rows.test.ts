import { describeInvalidByte } from '../../src/damaged-input/encoding.js';
import { saveAsCsv } from '../../src/damaged-input/save-as-csv.js';
import { describe, expect, test } from 'vitest';
import { ReconError } from '../../src/errors.js';
import { columns, headerLine, maximumRecordBytes } from '../../src/settlement-file/columns.js';
import { fingerprintOf } from '../../src/settlement-file/fingerprint.js';
import { cellsOf, readRows, textOfRow } from '../../src/settlement-file/read-rows.js';
import { validateRow } from '../../src/settlement-file/validate-row.js';
import { fileOf, readAll, rowCells, rowLine } from './rows.js';

const row = rowLine();
const names = columns.map((column) => column.name);

/** Line and verdict of every row, or the failure of the whole file. */
async function verdict(content: string | Buffer, chunkSize?: number): Promise<string[]> {
  const { rows, failure } = await readAll(content, chunkSize);
  const verdicts = rows.map((found) => {
    const issues = validateRow(cellsOf(found));
    return `${found.line} ${issues.length === 0 ? 'ok' : issues.map((issue) => issue.code).join(' ')}`;
  });
  if (failure === undefined) return verdicts;
  if (!(failure instanceof ReconError)) throw new Error('not a failure of the file', { cause: failure });
  return [...verdicts, `${failure.code}: ${failure.message}`];
}

type Case = readonly [what: string, content: string | Buffer, verdicts: readonly string[]];

function headerCase(what: string, header: readonly string[], message: string): Case {
  return [what, `${header.join(';')}\n${row}\n`, [`FILE_HEADER: ${message}`]];
}

const headers: readonly Case[] = [
  ['F38 no byte at all', '', ['FILE_EMPTY: The file has no content.']],
  ['F38 nothing but a BOM', '\ufeff', ['FILE_EMPTY: The file has no content.']],
  ['F46 header only', fileOf(), []],
  ['F46 header only, no final newline', headerLine, []],
  [
    'F47 header missing',
    `${row}\n`,
    [
      `FILE_HEADER: Header column 1 must be ReconciliationType, not 'SETTLED'. The first line looks like a row: is the line with the names missing?`,
    ],
  ],
  headerCase(
    'a file of payments',
    ['PaymentId', 'ShortId', 'PaymentType'],
    "Header column 1 must be ReconciliationType, not 'PaymentId'. This looks like a file of payments: `recon payments import` takes it.",
  ),
  headerCase(
    'a name that every object of JavaScript has',
    ['constructor', 'toString'],
    `Header column 1 must be ReconciliationType, not 'constructor'. The header has 2 of 36 names.`,
  ),
  headerCase(
    'F47 renamed',
    names.with(6, 'PSPID'),
    `Header column 7 must be PspId, not 'PSPID'. The names are case-sensitive.`,
  ),
  headerCase(
    'F47 duplicated',
    names.with(1, 'ReconciliationType'),
    `Header column 2 must be PaymentType, not 'ReconciliationType'.`,
  ),
  headerCase(
    'F47 35 columns',
    names.slice(0, 35),
    'Header column 36, ChargebackId, is missing; the header has 35 of 36 names.',
  ),
  headerCase(
    'F47 37 columns',
    [...names, 'Extra'],
    `Header column 37 is one too many: 'Extra'; a header has 36 names.`,
  ),
  headerCase(
    'F47 empty columns at the end',
    [...names, '', ''],
    `Header column 37 is one too many: ''; a header has 36 names. ` +
      'A spreadsheet left empty columns at the end: delete them.',
  ),
  headerCase(
    'F47 a blank first line',
    [''],
    `Header column 1 must be ReconciliationType, not ''. The first line is empty; it must have the 36 names.`,
  ),
  headerCase(
    'F48 re-ordered: the order is the specification’s',
    names.with(0, 'PaymentType').with(1, 'ReconciliationType'),
    `Header column 1 must be ReconciliationType, not 'PaymentType'.`,
  ),
  headerCase(
    'F49 other case',
    names.with(2, 'cashflow'),
    `Header column 3 must be Cashflow, not 'cashflow'. The names are case-sensitive.`,
  ),
  headerCase(
    'F49 a blank before a name',
    names.with(2, ' Cashflow'),
    `Header column 3 must be Cashflow, not ' Cashflow'. A space or an invisible character is before or after the name.`,
  ),
  ['F49 BOM at byte 0', `\ufeff${fileOf(row)}`, ['2 ok']],
  [
    'F49 BOM twice',
    `\ufeff\ufeff${fileOf(row)}`,
    [
      `FILE_HEADER: Header column 1 must be ReconciliationType, not '\\ufeffReconciliationType'. A space or an invisible character is before or after the name.`,
    ],
  ],
  ['F49 BOM before a row', fileOf(`\ufeff${row}`), ['2 CONTROL_CHARACTER']],
  ['the other spelling of ClearingInsitituteName', fileOf(row).replace('Insititute', 'Institute'), ['2 ok']],
  ['a quoted header', fileOf(row).replace('PspId', '"PspId"'), ['2 ok']],
  ...(
    [
      [',', 'commas'],
      ['\t', 'tabs'],
      ['|', 'bars'],
    ] as const
  ).map(([delimiter, plural]): Case => [
    `F50 ${plural}`,
    fileOf(row).replaceAll(';', delimiter),
    [
      `FILE_HEADER: Header column 1 must be ReconciliationType, not '${names.join(delimiter === '\t' ? '\\u0009' : delimiter).slice(0, 80)}…'.` +
        ` The names are separated by ${plural}; is the delimiter wrong? It must be a semicolon.`,
    ],
  ]),
];

const stray =
  'a quote is in the wrong place: inside a cell that is not quoted, or before text that follows a closing quote.';

const grammar: readonly Case[] = [
  [
    'F51 35 and 37 cells',
    fileOf(row.slice(0, -1), row, `${row};`),
    ['2 COLUMN_COUNT', '3 ok', '4 COLUMN_COUNT'],
  ],
  ['F52 a delimiter in quotes', fileOf(row.replace('Example Shop', '"Example; Shop"')), ['2 ok']],
  [
    'F52 line feed in quotes: the line is the first',
    fileOf(row.replace('Example Shop', '"Example\nShop"'), row),
    ['2 ok', '4 ok'],
  ],
  ['F52 doubled quotes', fileOf(row.replace('Example Shop', '"The ""Best"""')), ['2 ok']],
  ['F52 everything quoted', fileOf(`"${rowCells().join('";"')}"`), ['2 ok']],
  [
    'F53 unclosed quote',
    fileOf(row, row.replace('Example', '"Example'), row),
    ['2 ok', 'FILE_QUOTE: In the record that begins on line 3, a quote is opened and never closed.'],
  ],
  [
    'F53 unclosed quote over a megabyte of lines',
    fileOf(row.replace('Example', '"Example'), ...Array<string>(4000).fill(row)),
    ['FILE_QUOTE: In the record that begins on line 2, a quote is opened and not closed within 1 MiB.'],
  ],
  [
    'F54 a header of quoted names between commas',
    `"${names.join('","')}"\n${row}\n`,
    [
      `FILE_QUOTE: In the record that begins on line 1, ${stray} ` +
        'The names are separated by commas; is the delimiter wrong? It must be a semicolon.',
    ],
  ],
  [
    'F54 quote inside a cell',
    fileOf(row, row.replace('Example', 'Ex"ample')),
    ['2 ok', `FILE_QUOTE: In the record that begins on line 3, ${stray}`],
  ],
  [
    'F54 text after a closing quote',
    fileOf(row.replace('Example Shop', '"Example" Shop')),
    [`FILE_QUOTE: In the record that begins on line 2, ${stray}`],
  ],
  [
    'F54 two quotes inside a cell',
    fileOf(row, row.replace('Example', 'Ex"am"ple'), row),
    ['2 ok', `FILE_QUOTE: In the record that begins on line 3, ${stray}`],
  ],
  ['F55 LF', fileOf(row, row), ['2 ok', '3 ok']],
  ['F55 CRLF', fileOf(row, row).replaceAll('\n', '\r\n'), ['2 ok', '3 ok']],
  ['F55 mixed', `${headerLine}\r\n${row}\n${row}\r\n${row}\n`, ['2 ok', '3 ok', '4 ok']],
  ['F55 no final newline', fileOf(row, row).slice(0, -1), ['2 ok', '3 ok']],
  ['F55 lone CR', fileOf(`${row}\r${row}`, row), ['2 COLUMN_COUNT', '3 ok']],
  [
    'F55 lone CR in a cell',
    fileOf(row.replace('Example Shop', 'Example\rShop'), row),
    ['2 CONTROL_CHARACTER', '3 ok'],
  ],
  ['F55 lone CR at the end', fileOf(row, row).slice(0, -1) + '\r', ['2 ok', '3 CONTROL_CHARACTER']],
  ['F57 blank lines at the end', `${fileOf(row)}\n\r\n\n`, ['2 ok']],
  [
    'F57 blank lines in the middle',
    fileOf(row, '', '\r', row),
    ['2 ok', '3 COLUMN_COUNT', '4 COLUMN_COUNT', '5 ok'],
  ],
  ['F57 a blank line below the header', fileOf('', row), ['2 COLUMN_COUNT', '3 ok']],
  ['F57 nothing but blank lines', fileOf('', '', ''), []],
  ['F61 a record of 1 MiB', fileOf('x'.repeat(maximumRecordBytes), row), ['2 COLUMN_COUNT', '3 ok']],
  [
    'F61 a record of 1 MiB and a byte',
    fileOf(row, 'x'.repeat(maximumRecordBytes + 1)),
    ['2 ok', 'FILE_RECORD_TOO_LONG: The record that begins on line 3 is longer than 1048576 bytes (1 MiB).'],
  ],
  [
    'F61 a quoted cell of 2 MiB',
    fileOf(row, `"${'x'.repeat(2 * maximumRecordBytes)}"`),
    ['2 ok', 'FILE_RECORD_TOO_LONG: The record that begins on line 3 is longer than 1048576 bytes (1 MiB).'],
  ],
  [
    'F66 a footer is not a row: no source declares footers',
    fileOf(row, 'TOTAL;1;100.00', row),
    ['2 ok', '3 COLUMN_COUNT', '4 ok'],
  ],
  ['F61 a million cells', fileOf(';'.repeat(1_000_000)), ['2 COLUMN_COUNT']],
];

function utf16(content: string, mark: boolean): Buffer {
  return Buffer.from(mark ? `\ufeff${content}` : content, 'utf16le');
}

function utf32(content: string, mark: boolean): Buffer {
  const characters = Array.from(mark ? `\ufeff${content}` : content);
  const bytes = Buffer.alloc(4 * characters.length);
  characters.forEach((character, index) => bytes.writeUInt32LE(character.codePointAt(0) ?? 0, 4 * index));
  return bytes;
}

const wide = (name: string) => [
  `FILE_ENCODING: The file is ${name}, from byte 0 on line 1; it must be UTF-8 text: ${saveAsCsv}.`,
];
const beforeRow3 = Buffer.byteLength(fileOf(row));

function invalidAt(bytes: readonly number[]): Buffer {
  return Buffer.concat([
    Buffer.from(fileOf(row)),
    Buffer.from('SETTLED;'),
    Buffer.from(bytes),
    Buffer.from('\n'),
  ]);
}

const encodings: readonly Case[] = [
  ...[true, false].flatMap((mark): Case[] => [
    [`F58 UTF-16LE, mark ${mark}`, utf16(fileOf(row), mark), wide('UTF-16LE')],
    [`F58 UTF-16BE, mark ${mark}`, utf16(fileOf(row), mark).swap16(), wide('UTF-16BE')],
    [`F58 UTF-32LE, mark ${mark}`, utf32(fileOf(row), mark), wide('UTF-32LE')],
    [`F58 UTF-32BE, mark ${mark}`, utf32(fileOf(row), mark).swap32(), wide('UTF-32BE')],
  ]),
  [
    'F59 Latin-1',
    Buffer.from(fileOf(row, row.replace('Example', 'M\u00fcller')), 'latin1'),
    [
      '2 ok',
      `FILE_ENCODING: The file is not UTF-8: byte 0xfc at offset ${beforeRow3 + row.indexOf('Example') + 1}, on line 3; ${describeInvalidByte(0xfc)}.`,
    ],
  ],
  [
    'F59 Latin-1 in the second line of a quoted cell',
    Buffer.from(fileOf(row.replace('Example Shop', '"a\nM\u00fcller"')), 'latin1'),
    [
      `FILE_ENCODING: The file is not UTF-8: byte 0xfc at offset ${headerLine.length + 1 + row.indexOf('Example') + 4}, on line 3; ${describeInvalidByte(0xfc)}.`,
    ],
  ],
  ...(
    [
      ['an overlong form', [0xc0, 0xaf]],
      ['a lone surrogate', [0xed, 0xa0, 0x80]],
      ['a continuation byte alone', [0x80]],
      ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
      ['a character cut by the end of the line', [0xe2, 0x82]],
    ] as const
  ).map(([what, bytes]): Case => [
    `F60 ${what}`,
    invalidAt(bytes),
    [
      '2 ok',
      `FILE_ENCODING: The file is not UTF-8: byte 0x${bytes[0].toString(16)} at offset ${beforeRow3 + 8}, on line 3; ${describeInvalidByte(bytes[0])}.`,
    ],
  ]),
  ['F60 NUL', fileOf(row.replace('Shop', 'Sh\u0000op'), row), ['2 CONTROL_CHARACTER', '3 ok']],
  [
    'F60 the fault of an earlier line comes first',
    Buffer.concat([Buffer.from(fileOf('a"b"')), Buffer.from([0xff])]),
    [`FILE_QUOTE: In the record that begins on line 2, ${stray}`],
  ],
];

describe.each([
  ['headers', headers],
  ['grammar', grammar],
  ['encodings', encodings],
])('%s', (_subject, cases) => {
  test.each(cases)('%s', async (_what, content, verdicts) => {
    expect(await verdict(content)).toEqual(verdicts);
  });

  // Records over the limit are read in 64 KB only: by single bytes they would be copied a million times.
  test.each(cases.filter(([, content]) => content.length < 20_000))(
    '%s, in chunks of any size',
    async (_what, content, verdicts) => {
      for (const size of [1, 2, 3, 7, 64, 1000])
        expect(await verdict(content, size), `chunks of ${size}`).toEqual(verdicts);
    },
  );
});

describe('F56 a file cut short', () => {
  const lines = Array.from({ length: 12 }, (_, index) =>
    rowLine({
      SettlementTxId: `STL-${index}`,
      AccountHolder: index % 3 === 0 ? '"Jürgen; ""J"" \r\nMüßig"' : 'Jürgen Müßig',
      MatchingStatus: 'MATCHED',
      MatchedTransactions: '8ac7a4a1000000000000000000000001',
      ChargebackId: index % 2 === 0 ? '8ac7a4a1000000000000000000000002' : '',
    }),
  );
  const whole = Buffer.from(fileOf(...lines));

  test('at every byte offset: rejected, a rejected row, or fewer rows where a row ends', async () => {
    const full = (await readAll(whole)).rows.map((found) => fingerprintOf(cellsOf(found)));
    expect(full).toHaveLength(lines.length);
    for (let cut = 0; cut < whole.length; cut += 1) {
      const { rows, failure } = await readAll(whole.subarray(0, cut));
      const accepted = rows.filter((found) => validateRow(cellsOf(found)).length === 0);
      const fingerprints = accepted.map((found) => fingerprintOf(cellsOf(found)));
      // What is accepted is a beginning of the file, record for record.
      expect(fingerprints, `cut at ${cut}`).toEqual(full.slice(0, fingerprints.length));
      const isReported = failure !== undefined || accepted.length < rows.length;
      const endsWithRow = recordEnds.has(cut);
      expect(isReported || endsWithRow, `cut at ${cut} is reported`).toBe(true);
    }
  });

  /** Offsets at which the rows before are whole, with or without their line ending. */
  const recordEnds = new Set<number>();
  let end = headerLine.length;
  recordEnds.add(end).add(end + 1);
  for (const line of lines) {
    end += 1 + Buffer.byteLength(line);
    recordEnds.add(end).add(end + 1);
    // The last cell is the sender's claim of a chargeback id: the record is whole without it.
    if (!line.endsWith(';')) recordEnds.add(end - 32);
  }
});

describe('a row', () => {
  test('knows its text as it came, and its cells', async () => {
    const content = Buffer.from(`\ufeff${fileOf(row.replace('Example Shop', '"Jürgen; ""J"""'))}\r\n`);
    const { rows } = await readAll(content, 10);
    expect(rows.map(textOfRow)).toEqual([row.replace('Example Shop', '"Jürgen; ""J"""')]);
    expect(rows.map(cellsOf)).toEqual([rowCells({ MerchantAccountName: 'Jürgen; "J"' })]);
  });

  test.each(['x', '"', ';', 'x\n'])(
    'F61 an endless record of %j is refused after little more than a megabyte',
    async (text) => {
      const chunk = Buffer.from(text.repeat(64 * 1024));
      let read = 0;
      // The reader takes an async generator.
      // eslint-disable-next-line @typescript-eslint/require-await
      async function* endless(): AsyncGenerator<Buffer, void, undefined> {
        yield Buffer.from(`${headerLine}\n"`);
        for (;;) {
          read += chunk.length;
          yield chunk;
        }
      }
      const reading = async () => {
        for await (const block of readRows(endless())) expect(block.rows.length).toBeLessThan(100_000);
      };
      await expect(reading()).rejects.toThrow(ReconError);
      expect(read).toBeLessThan(3 * maximumRecordBytes);
    },
  );

  test('F61 a hundred thousand blank lines before a row are handed out in portions', async () => {
    const { rows } = await readAll(`${fileOf()}${'\n'.repeat(100_000)}${row}\n`);
    expect(rows).toHaveLength(100_001);
    expect(rows.map((found) => found.line)).toEqual(Array.from({ length: 100_001 }, (_, index) => index + 2));
  });
});

test('F61 a record of 1 MiB whose line ending is in two pieces of the file is read as any other', async () => {
  const content = `${headerLine}\r\n${'x'.repeat(maximumRecordBytes)}\r\n`;
  // The first piece ends with the carriage return.
  expect(await verdict(content, content.length - 1)).toEqual(['2 COLUMN_COUNT']);
  expect(await verdict(content)).toEqual(['2 COLUMN_COUNT']);
});
