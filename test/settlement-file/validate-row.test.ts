import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columns } from '../../src/settlement-file/columns.js';
import { issueCodes } from '../../src/settlement-file/row-issues.js';
import { maskCardNumbers } from '../../src/values/mask-card-numbers.js';
import { OrdinaryRowScanner } from '../../src/settlement-file/scan-ordinary-row.js';
import { validateRow } from '../../src/settlement-file/validate-row.js';
import { mutatedCells, rowCells } from './rows.js';

/** Column, content of the cell, and the resulting issue; null when the cell is valid. */
type Case = readonly [column: string, cell: string, code: string | null];

const id32 = '8a8294174b7ecb28014b9699220015ca';

const references = [
  ...['MerchantAccountId', 'SettlementTxId', 'UniqueID', 'ShortId', 'ConnectorTxId1', 'ConnectorTxId2'],
  ...['ConnectorTxId3', 'ClearingInstituteMerchantId', 'BankCode'],
];

const rules: readonly Case[] = [
  ['ReconciliationType', 'CHARGEBACK REVERSAL', null],
  ['ReconciliationType', '', 'REQUIRED'],
  ['ReconciliationType', 'SETTELED', 'NOT_ALLOWED_VALUE'],
  ['ClearingInstituteMerchantId', 'abcde', null],
  ['ClearingInstituteMerchantId', 'abcd', 'TOO_SHORT'],
  ['ClearingInstituteMerchantId', 'ä'.repeat(64), null],
  ['ClearingInstituteMerchantId', '🙂'.repeat(64), null],
  ['ClearingInstituteMerchantId', '🙂'.repeat(65), 'TOO_LONG'],
  ['ClearingInstituteMerchantId', '🙂🙂🙂🙂', 'TOO_SHORT'],
  ['ClearingInstituteMerchantId', 'a'.repeat(65), 'TOO_LONG'],
  ['MerchantAccountId', id32.toUpperCase(), null],
  ['MerchantAccountId', id32.slice(1), 'PATTERN'],
  ['MerchantAccountId', `${id32}0`, 'PATTERN'],
  ['MerchantAccountId', id32.replace('8', 'ä'), 'PATTERN'],
  ['MerchantAccountName', 'n'.repeat(32), null],
  ['MerchantAccountName', 'n'.repeat(33), 'TOO_LONG'],
  ['PspId', '', 'REQUIRED'],
  ['DivisionId', '', null],
  ['ShortId', '1121.4477.0001', null],
  ['ShortId', '1121.4477.00011', 'TOO_LONG'],
  ['Brand', 'a'.repeat(16), null],
  ['Brand', 'a'.repeat(17), 'TOO_LONG'],
  ['Brand', 'VISA1', 'PATTERN'],
  ['AccountNumberLast4', 'A1', null],
  ['AccountNumberLast4', '0615', null],
  ...['6', '61', '615'].map((cell): Case => ['AccountNumberLast4', cell, 'LOST_ZEROS']),
  ...['1.23E+31', '1,23E+31', '1E+31'].flatMap((cell) =>
    references.map((column): Case => [column, cell, 'SPREADSHEET_NUMBER']),
  ),
  ...['#####', '#NAME?', '#DIV/0!', '#N/A'].flatMap((cell) =>
    ['SettlementTxId', 'ShortId', 'ConnectorTxId2', 'UniqueID'].map((column): Case => [
      column,
      cell,
      'SPREADSHEET_ERROR',
    ]),
  ),
  ...['1.23E31', 'E+31', '12-E+31', '1.23E+', '#', '#1', 'a#N/A', '1+1'].map((cell): Case => [
    'ConnectorTxId1',
    cell,
    null,
  ]),
  ['Descriptor', '1.23E+31', null],
  ['Descriptor', '#NAME?', null],
  ['AccountNumberLast4', '12345', 'TOO_LONG'],
  ['BankCode', 'DEUTDEFF500X', null],
  ['BankCode', 'DEUTDEFF500XX', 'TOO_LONG'],
  ['ReasonCode', '4.1', null],
  ['ReasonCode', '4', 'TOO_SHORT'],
  ['ReasonCode', '800.100.151', null],
  ['ReasonCode', '800.100.1510', 'TOO_LONG'],
  ['ReasonCode', 'UA02', 'PATTERN'],
  ['SettlementFileFormat', '', 'REQUIRED'],
  ['ClearingInsitituteName', 'c'.repeat(65), 'TOO_LONG'],
  ['MatchingStatus', 'MULTIPLE_MATCHES', null],
  ['MatchingStatus', 'matched', 'NOT_ALLOWED_VALUE'],
  ['MatchedTransactions', `${id32},${id32}`, null],
  ['MatchedTransactions', `${id32},`, 'PATTERN'],
  ['MatchedTransactions', `${id32} ${id32}`, 'PATTERN'],
  ['ChargebackId', id32, null],
  ['ChargebackId', 'x', 'PATTERN'],
];

const unknownValues: readonly Case[] = columns
  .filter((column) => column.type.kind === 'enum')
  .flatMap((column): Case[] => {
    const [value = ''] = column.type.kind === 'enum' ? column.type.values : [];
    return [
      [column.name, 'SOMETHING ELSE', 'NOT_ALLOWED_VALUE'],
      [column.name, value.toLowerCase(), 'NOT_ALLOWED_VALUE'],
      [column.name, ` ${value}`, 'NOT_ALLOWED_VALUE'],
      [column.name, `${value} `, 'NOT_ALLOWED_VALUE'],
      [column.name, '', column.required ? 'REQUIRED' : null],
    ];
  });

const amounts: readonly Case[] = [
  ['Amount', '0.00', null],
  ['Amount', '9999999999.99', null],
  ['Amount', '0000000001.00', null],
  ...[
    '1,234.56',
    '1.234,56',
    '1e3',
    '0x10',
    ' 1.00',
    '1.00 ',
    '-0',
    '-1.00',
    '+1.00',
    'NaN',
    '1.005',
    '1',
    '1.',
    '.50',
    '1.0',
  ].map((text): Case => ['Amount', text, 'NOT_AN_AMOUNT']),
  ['Amount', '12345678901.00', 'NOT_AN_AMOUNT'],
  ['Amount', '12345678901234567890', 'NOT_AN_AMOUNT'],
  ['Amount', '١.٠٠', 'NOT_AN_AMOUNT'],
  ['Amount', '', 'REQUIRED'],
  ['SettlementFee', '', null],
  ['SettlementFxRate', '', 'REQUIRED'],
];

const dates: readonly Case[] = [
  ['SettlementDate', '2026-12-31', null],
  ['SettlementDate', '2028-02-29', null],
  ['SettlementDate', '2000-02-29', null],
  ...[
    '2026-02-29',
    '2026-02-30',
    '1900-02-29',
    '2026-04-31',
    '26-11-19',
    '11/19/2026',
    '19.11.2026',
    '2026-11-19 ',
    '2026-1-9',
  ].map((text): Case => ['SettlementDate', text, 'NOT_A_DATE']),
  ...[
    '2026-00-10',
    '2026-13-01',
    '2026-11-00',
    '1899-12-31',
    '2100-01-01',
    '20261119',
    '2026-11-19T00:00:00',
  ].map((text): Case => ['SettlementDate', text, 'NOT_A_DATE']),
  ...[
    '',
    '2026-11-18 00:00:00',
    '2026-11-18 23:59:59',
    '2026-11-18 10:00:05.1',
    '2026-11-18 10:00:05.123456789',
  ].map((text): Case => ['TxRequestTime', text, null]),
  ...['+0100', ' +0100', '+01:00', ' -11:30', 'Z', ' Z', '.5 +1400', '+14:00'].map((zone): Case => [
    'TxRequestTime',
    `2026-11-18 10:00:05${zone}`,
    null,
  ]),
  // In the spring gap of many zones: which zone counts is the source's setting, so the row is not refused.
  ['TxRequestTime', '2027-03-28 02:30:00', null],
  ...[
    '2026-11-18 24:00:00',
    '2026-11-18 10:00:60',
    '2026-11-18 10:60:00',
    '2026-02-30 10:00:00',
    '2026-11-18',
  ].map((text): Case => ['TxRequestTime', text, 'NOT_A_TIMESTAMP']),
  ...[
    '2026-11-18T10:00:05',
    '2026-11-18 1:00:05',
    '2026-11-18 10:00',
    '2026-11-18 10:00:05.',
    '2026-11-18 10:00:05 CET',
  ].map((text): Case => ['TxRequestTime', text, 'NOT_A_TIMESTAMP']),
  ...['+1', '+01', '+01:0', '+1401', '+15:00', '  +0100', '+0160', '.1234567890'].map((tail): Case => [
    'TxRequestTime',
    `2026-11-18 10:00:05${tail}`,
    'NOT_A_TIMESTAMP',
  ]),
];

const invisible: readonly Case[] = [
  ...[
    '\u0000',
    '\u0001',
    '\t',
    '\u001b',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u200d',
    '\u202e',
    '\u2060',
    '\ufeff',
  ].map((character): Case => ['SettlementTxId', `STL${character}1`, 'CONTROL_CHARACTER']),
  ['SettlementTxId', 'STL\r1', 'CONTROL_CHARACTER'],
  ['Amount', '1.00\u0000', 'CONTROL_CHARACTER'],
  ['Currency', 'EUR\u200b', 'CONTROL_CHARACTER'],
  ['ChargebackId', '\ufeff', 'CONTROL_CHARACTER'],
  ['Descriptor', 'two\nlines', null],
  ['Descriptor', 'two\r\nlines', null],
];

const signsAndZeros: readonly Case[] = [
  ['Cashflow', 'NEG', null],
  ['Amount', '0.00', null],
  ['SettlementCurrency', 'USD', null],
  ['Currency', 'JPY', null],
  ['Currency', 'KWD', null],
];

const lookAlikes: readonly Case[] = [
  // Cyrillic а in an id, a trailing space, leading zeros.
  ['UniqueID', id32.replace('a', 'а'), 'PATTERN'],
  ['UniqueID', `${id32} `, 'PATTERN'],
  ['UniqueID', '0'.repeat(31) + '1', null],
  ['SettlementTxId', '000123 ', null],
  ['AccountNumberLast4', '0007', null],
];

const inert: readonly Case[] = [
  "Robert'); DROP TABLE payments;--",
  '<script>alert(1)</script>',
  '${jndi:ldap://x}',
  '=1+1',
  '@SUM(A1)',
].map((text): Case => ['Descriptor', text, null]);

const currencyCases: readonly Case[] = [
  ...['EUR', 'XCG', 'ZWG', 'SLE', 'BGN', 'HRK'].map((code): Case => ['Currency', code, null]),
  ...['EURO', 'eur', 'EU', 'XXX', 'XTS', 'XAU', 'DEM', 'E R', 'ÉUR', '978'].map((code): Case => [
    'Currency',
    code,
    'UNKNOWN_CURRENCY',
  ]),
];

function issuesOf([column, cell]: Case) {
  return validateRow(rowCells({ [column]: cell })).map((issue) => [issue.column, issue.code]);
}

function expected([column, , code]: Case) {
  return code === null ? [] : [[column, code]];
}

describe.each([
  ['the rules of the catalogue', rules],
  ['F62 unknown, small, padded and empty values', unknownValues],
  ['F63 amounts', amounts],
  ['F64 dates and times', dates],
  ['F60 control and invisible characters', invisible],
  ['F65 sign, other currency and zero are not errors of a row', signsAndZeros],
  ['F70 text that is code elsewhere is stored unchanged', inert],
  ['F72 look-alikes', lookAlikes],
  ['currencies', currencyCases],
])('%s', (_subject, cases) => {
  test.each(cases)('%s %j gives %s', (...one) => {
    expect(issuesOf(one)).toEqual(expected(one));
  });

  test.each(cases)('%s %j: the fast check takes nothing that zod refuses', (...one) => {
    const line = Buffer.from(rowCells({ [one[0]]: one[1] }).join(';'));
    if (!line.includes('"') && new OrdinaryRowScanner().accepts(line, 0, line.length))
      expect(one[2]).toBeNull();
  });
});

describe('issues', () => {
  test('one per cell, in the order of the columns', () => {
    const cells = rowCells({ ChargebackId: 'x', Amount: '', ReconciliationType: 'x' });
    expect(validateRow(cells).map((issue) => issue.column)).toEqual([
      'ReconciliationType',
      'Amount',
      'ChargebackId',
    ]);
  });

  test.each([
    [0, 'The row has 0 cells; a row has 36.'],
    [35, 'The row has 35 cells; a row has 36.'],
    [37, 'The row has 37 cells; a row has 36.'],
  ])('F51 a row of %d cells has one issue about its width', (count, message) => {
    const cells = Array.from({ length: count }, () => 'x');
    expect(validateRow(cells)).toEqual([{ column: '', code: 'COLUMN_COUNT', message, value: String(count) }]);
  });

  test('F69 a card number in a value is masked', () => {
    const [issue] = validateRow(rowCells({ AccountNumberLast4: '4200000000000000' }));
    expect(issue).toEqual({
      column: 'AccountNumberLast4',
      code: 'TOO_LONG',
      message: 'AccountNumberLast4 may have 4 characters at most.',
      value: '420000******0000',
    });
  });

  test('a value is cut and its invisible characters are spelled out', () => {
    expect(validateRow(rowCells({ ShortId: '🙂'.repeat(100) }))[0]?.value).toBe(`${'🙂'.repeat(80)}…`);
    expect(validateRow(rowCells({ ShortId: 'a\u200bb' }))[0]?.value).toBe('a\\u200bb');
  });

  test('every code has a sentence', () => {
    for (const sentence of Object.values(issueCodes)) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the fast check', () => {
  test('takes the ordinary row and finds its cells and numbers', () => {
    const cells = rowCells({ AccountHolder: 'Jürgen Müßig', Amount: '1234567890.12', ChargebackId: '' });
    const line = Buffer.from(`before${cells.join(';')}after`);
    const scanner = new OrdinaryRowScanner();
    expect(scanner.accepts(line, 6, line.length - 5)).toBe(true);
    const starts = [6, ...Array.from(scanner.ends, (end) => end + 1)];
    expect(Array.from(scanner.ends, (end, index) => line.toString('utf8', starts[index], end))).toEqual(
      cells,
    );
    expect([scanner.amountMinor, scanner.settlementDate]).toEqual([123456789012, 20261119]);
  });

  const takesText = (text: string) => {
    const line = Buffer.from(rowCells({ Descriptor: text }).join(';'));
    return new OrdinaryRowScanner().accepts(line, 0, line.length);
  };

  test('leaves free text with thirteen digits of one number to the full check', () => {
    expect(takesText('4200 0000 0000 0000')).toBe(false);
    expect(takesText('ORDER 39243074-52720')).toBe(false);
    expect(takesText('4200\u20130000\u20130000\u20130000')).toBe(false);
  });

  test('takes free text in which thirteen digits are parts of several words', () => {
    expect(takesText('SHOP 16*ORDER 53a576f0-49388')).toBe(true);
    expect(takesText('2026-11-19  12:30:59')).toBe(true);
  });

  test('never takes free text in which a card number is masked', () => {
    const piece = fc.constantFrom(
      '4200000000000000',
      '4200',
      '0000',
      '5',
      ' ',
      '-',
      '  ',
      'a',
      '*',
      'ü',
      '.',
      '\u2011',
      '\u2013',
      '\u2009',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), (pieces) => {
        const text = pieces.join('');
        if (takesText(text)) expect(maskCardNumbers(text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test('never takes what zod refuses, whatever is done to a row', () => {
    const scanner = new OrdinaryRowScanner();
    let taken = 0;
    fc.assert(
      fc.property(mutatedCells, (cells) => {
        const text = cells.join(';');
        // Its callers give it whole lines without quotes.
        if (/["\n]/.test(text)) return;
        const bytes = Buffer.from(text);
        if (!scanner.accepts(bytes, 0, bytes.length)) return;
        taken += 1;
        expect(validateRow(text.split(';'))).toEqual([]);
      }),
      { numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(1000);
  });
});
