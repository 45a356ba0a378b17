import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import {
  amountOrTextCell,
  dateCell,
  formulaSafe,
  freeTextCell,
  serializeHeader,
  serializeRows,
  textCell,
  type CsvFormat,
} from '../../../src/reporting/tables/csv-cells.js';

const usual = { delimiter: ';', decimalSeparator: '.' } as const;

/** What a spreadsheet must never see at the beginning of a cell (OWASP, with the full-width forms). */
const dangerous = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

describe('F101 text cells are safe against formulas', () => {
  test.each([
    ['equals', '=1+1', "'=1+1"],
    ['plus', '+1', "'+1"],
    ['minus', '-1', "'-1"],
    ['at', '@SUM(A1)', "'@SUM(A1)"],
    ['tab', '\t=1', "'\t'=1"],
    ['carriage return', '\rx', "'\rx"],
    ['line feed', '\nx', "'\nx"],
    ['full-width equals', '＝1+1', "'＝1+1"],
    ['full-width plus', '＋1', "'＋1"],
    ['full-width minus', '－1', "'－1"],
    ['full-width at', '＠x', "'＠x"],
    ['behind a blank', ' =1', "' =1"],
    ['behind an invisible character', '\u200B=1', "'\u200B=1"],
    ['behind a quote', '"=1', `'"'=1`],
    ['behind a separator', ';=1', "';'=1"],
    ['a separate cell at another separator', 'a,=cmd()', "a,'=cmd()"],
    ['a separate cell at ours', 'a;=cmd()', "a;'=cmd()"],
    ['a formula that begins like a number', "a;-2+3+cmd|' /C calc'!A0", "a;'-2+3+cmd|' /C calc'!A0"],
    ['a number inside stays', 'DEBIT;-5.00;EUR', 'DEBIT;-5.00;EUR'],
    ['a date stays', '2026-11-19', '2026-11-19'],
    ['an identifier of digits stays', '0012345678901234567890', '0012345678901234567890'],
    ['a mail address stays', 'a@b.example', 'a@b.example'],
    ['a sentence stays', 'Expected 1 = 1, not 2 - 1.', 'Expected 1 = 1, not 2 - 1.'],
    ['umlauts stay', 'Gebühr für Österreich', 'Gebühr für Österreich'],
    ['what a spreadsheet might reshape stays', '1E10', '1E10'],
  ])('%s', (_what, text, expected) => {
    expect(formulaSafe(text)).toBe(expected);
  });

  test('no text begins a cell as a formula, whichever separator a program splits at', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(...'=+-@;,|"\'\t\r\n a1.＝＠'.split('')),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 1, maxLength: 4 }), (texts) => {
        const line = serializeRows([texts.map(textCell)], usual);
        const [cells = []] = parse(line, { delimiter: ';', record_delimiter: '\r\n' });
        expect(cells.filter((cell) => dangerous.test(cell))).toEqual([]);
      }),
    );
  });

  test('a text without formulas reads back as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), (texts) => {
        const plain = texts.filter((text) => formulaSafe(text) === text && !/[\r\n]/.test(text));
        fc.pre(plain.length > 0);
        const [cells] = parse(serializeRows([plain.map(textCell)], usual), { delimiter: ';' });
        expect(cells).toEqual(plain);
      }),
    );
  });
});

describe('cells', () => {
  test.each([
    ['text is quoted', textCell('Visa'), '"Visa"'],
    ['quotes are doubled', textCell('say "hi"'), '"say ""hi"""'],
    ['a separator is kept inside', textCell('a;b'), '"a;b"'],
    ['nothing is nothing', textCell(null), ''],
    ['an empty text is nothing', textCell(''), ''],
    ['an amount is a bare number', -1234567n, '-12345.67'],
    ['a small amount', 5n, '0.05'],
    ['a count is a bare number', 17, '17'],
    ['a date is bare', dateCell('2026-11-19'), '2026-11-19'],
    ['no date', dateCell(null), ''],
    ['an amount in words is a number', amountOrTextCell('-10.00'), '-10.00'],
    ['an expected text is text', amountOrTextCell('EUR'), '"EUR"'],
    ['four digits are text, zeros and all', amountOrTextCell('0012'), '"0012"'],
    ['a number of another form is text', amountOrTextCell('-1'), '"\'-1"'],
    ['a card number in words is truncated', freeTextCell('card 4111111111111111'), '"card 411111******1111"'],
    ['an identifier of digits is no card number', textCell('4111111111111111'), '"4111111111111111"'],
  ])('%s', (_what, cell, expected) => {
    expect(serializeRows([[1, cell]], usual)).toBe(`1;${expected}\r\n`);
  });

  test('a row that is put together here is the row that csv-stringify writes', () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'a;,.\r\n= é'.split('')), maxLength: 6 }),
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      fc.integer(),
      fc.constantFrom(null, dateCell('2026-11-19')),
    );
    const formats = fc.constantFrom<CsvFormat>(
      usual,
      { delimiter: ',', decimalSeparator: '.' },
      { delimiter: ';', decimalSeparator: ',' },
    );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), formats, (row, format) => {
        // The quote in one more cell leaves the whole row to csv-stringify.
        const stringified = serializeRows([[...row, '"']], format);
        const here = serializeRows([row], format).replace(/\r\n$/, '');
        expect(stringified).toBe(`${here}${format.delimiter}""""\r\n`);
      }),
    );
  });

  test('a cell longer than a spreadsheet takes is cut', () => {
    expect(textCell('x'.repeat(40_000))).toBe(`${'x'.repeat(32_766)}…`);
  });

  test('a count that is not a number is a mistake', () => {
    expect(() => serializeRows([[1.5]], usual)).toThrow('not a whole number');
  });

  test.each([
    [{ delimiter: ';', decimalSeparator: ',' }, '1;"a;b";-12345,67;2026-11-19;"1.50"\r\n'],
    [{ delimiter: ',', decimalSeparator: '.' }, '1,"a;b",-12345.67,2026-11-19,"1.50"\r\n'],
  ] as const)('%j changes separators and amounts, and neither texts nor dates', (format, expected) => {
    expect(serializeRows([[1, textCell('a;b'), -1234567n, dateCell('2026-11-19'), '1.50']], format)).toBe(
      expected,
    );
    expect(serializeHeader(['A', 'B'], format)).toBe(`\uFEFFA${format.delimiter}B\r\n`);
  });

  test('the header is preceded by the byte order mark', () => {
    expect(Buffer.from(serializeHeader(['A', 'B'], usual)).toString('hex')).toBe('efbbbf413b420d0a');
  });
});
