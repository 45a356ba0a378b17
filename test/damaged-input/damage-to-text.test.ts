import { describe, expect, test } from 'vitest';
import { damageSentence, formulaError, spreadsheetError } from '../../src/damaged-input/cell-damage.js';
import { describeInvalidByte, firstInvalidByte } from '../../src/damaged-input/encoding.js';
import { foreignContent } from '../../src/damaged-input/foreign-content.js';
import { describeInvisible, holdsInvisible } from '../../src/damaged-input/invisible-characters.js';
import { otherSeparator } from '../../src/damaged-input/other-separator.js';

/** Damage of which `test/cli/damaged-input.test.ts` has one example, in its other forms. */

const decimals = 'It looks like three decimals, or a sign between thousands: ask the sender';
const thousands = 'It looks like thousands separators: write digits, a dot and 2 digits only.';
const national = 'It looks like a date in a national format: write yyyy-MM-dd.';
const exchanged = 'It looks like day and month exchanged: write yyyy-MM-dd.';
const separators = 'It looks like other separators in a date: write yyyy-MM-dd.';
const dayNumber =
  'It looks like the number that a spreadsheet counts days by: format the column as yyyy-MM-dd.';
const blanks = 'It looks like a space at its beginning or end: remove it.';
const currency = 'It looks like an amount with its currency: write the number only.';

test.each([
  ['amount', '1.234', decimals],
  ['amount', '1,234', decimals],
  ['amount', '12345,678', decimals],
  ['amount', '1.234.567,89', thousands],
  ['amount', "1'234.50", thousands],
  ['amount', '1 234', thousands],
  ['amount', '1\u00a0234,50', thousands],
  ['amount', '1\u2019234.50', thousands],
  ['amount', '1\u202f234,50', thousands],
  // Two different marks between thousands are no notation of any country.
  ['amount', "1'234.567.89", ''],
  ['amount', '150,5', 'It looks like a decimal comma: write 150.50.'],
  ['amount', '150.5', 'It looks like missing decimals: write 150.50.'],
  ['amount', '150.', 'It looks like missing decimals: write 150.00.'],
  ['amount', '150.51€', currency],
  ['amount', '$150.51', currency],
  ['amount', 'EUR', ''],
  ['amount', ' 150.51', blanks],
  ['date', '2026-11-19 ', blanks],
  ['date', '19.11.26', national],
  ['date', '9/1/2026', national],
  ['date', '19-11-2026 00:00', national],
  ['date', '2026-31-12', exchanged],
  ['date', '2026-32-12', ''],
  ['date', '2026/11/19', separators],
  ['date', '2026.1.9', separators],
  ['date', '46345', dayNumber],
  ['date', '46345.5', dayNumber],
  ['date', '46345,5', dayNumber],
  ['timestamp', '19.11.2026 10:00:00', national],
  ['timestamp', '46345,5', dayNumber],
  ['timestamp', '2026-11-19 9:05', 'It looks like no seconds: a spreadsheet drops them'],
  ['timestamp', '2026-11-19', 'It looks like no time of day: write yyyy-MM-dd HH:mm:ss.'],
  ['last four', '6', 'It looks like lost leading zeros: write 0006.'],
  ['last four', '615a', ''],
  ['reference', '615', ''],
  ['other', '19.11.2026', ''],
] as const)('%s %j: %s', (meaning, cell, sentence) => {
  const found = damageSentence(meaning, cell);
  expect(found === '' ? '' : found.slice(0, sentence.length)).toBe(sentence);
});

test.each(['#####', '#NAME?', '#DIV/0!', '#N/A', '#NV', '#REF!', '#WERT!'])(
  '%s is an error value',
  (cell) => {
    expect(spreadsheetError.test(cell)).toBe(true);
  },
);

test.each([
  'Err:509',
  'Fehler:520',
  'Error:502',
  'Erreur :508',
  '#ÜBERLAUF!',
  '#N/D',
  '#N/B',
  '#¡VALOR!',
  '#¿NOMBRE?',
  '#¡DIV/0!',
  '#I/T',
  '#Н/Д',
])('%s is what another program, or one in another language, shows of a formula', (cell) => {
  expect(formulaError.test(cell)).toBe(true);
});

test.each(['#1', 'Err:5', 'Error: 509', '#N/C', 'see #NAME?'])('%s is a text', (cell) => {
  expect(formulaError.test(cell) || spreadsheetError.test(cell)).toBe(false);
});

describe('bytes', () => {
  test.each([
    ['of four, cut off by the end', [0x41, 0xf0, 0x9f, 0x98], 1],
    ['of three, cut off by the end of a line', [0x41, 0x0a, 0xe2, 0x82, 0x0a], 2],
    ['after whole characters of two, three and four', [...Buffer.from('ä€😀\n😀€ä'), 0xff], 19],
    ['of valid text', [...Buffer.from('ä€😀\r\n😀€ä')], -1],
  ])('%s', (_what, bytes, position) => {
    expect(firstInvalidByte(Buffer.from(bytes))).toBe(position);
  });

  test.each([
    [0x80, "in Windows-1252 it would be '€': save it"],
    [0x9f, "in Windows-1252 it would be 'Ÿ': save it"],
    [0xa0, "in Windows-1252 it would be '\u00a0': save it"],
    [0xff, "in Windows-1252 it would be 'ÿ': save it"],
    [0x81, 'save it as "CSV UTF-8"'],
    [0x9d, 'save it as "CSV UTF-8"'],
    [0x41, 'save it as "CSV UTF-8"'],
  ])('%i', (byte, text) => {
    expect(describeInvalidByte(byte).slice(0, text.length)).toBe(text);
  });
});

test.each([
  ['<?xml version="1.0"?>', 'an XML document'],
  ['\ufeff<html>', 'a web page (HTML)'],
  ['  <!-- moved --><p>', 'a web page (HTML)'],
  ['PK\x05\x06', 'a ZIP archive'],
  ['PK\x03\x04 xl/workbook.xml', 'an Excel workbook (.xlsx)'],
  ['PK\x03\x04 docProps/app.xml', 'an Excel workbook (.xlsx)'],
  [`${'text '.repeat(40)}\x01\x02\x03\x04\x05\x06\x07\x0b\x0c\x0e`, undefined],
  [`${'text '.repeat(20)}\x01\x02\x03\x04\x05\x06\x07\x0b`, 'binary data'],
  ['a\x01\x02\x03', undefined],
  // A packed file of zeros is refused for its size.
  [`text${'\0'.repeat(400)}`, undefined],
  ['PKNumber;Amount', undefined],
])('%j is %s', (content, what) => {
  expect(foreignContent(Buffer.from(content, 'utf8'))?.what).toBe(what);
});

test.each([
  ['a\tb', 'a tab (U+0009) as character 2'],
  ['a\rb', 'a carriage return (U+000D) as character 2'],
  ['😀\u00adb', 'a soft hyphen (U+00AD) as character 2'],
  ['a\u061c', 'a control or invisible character (U+061C) as character 2'],
  ['a\u034f', 'a control or invisible character (U+034F) as character 2'],
  ['a\u202f', 'a narrow no-break space (U+202F) as character 2'],
  ['a\r\n\u000c', 'a control or invisible character (U+000C) as character 4'],
])('%j has %s', (text, description) => {
  expect(holdsInvisible(text)).toBe(true);
  expect(describeInvisible(text)).toBe(description);
});

test('line breaks and letters of any script are visible', () => {
  for (const text of ['a\r\nb', 'a\nb', 'Łódź', '東京', '😀']) expect(holdsInvisible(text)).toBe(false);
});

test('a header that would be complete with another separator says which one was used', () => {
  const header = (separator: string, names: number) => [Array<string>(names).fill('Name').join(separator)];
  expect(otherSeparator(header('|', 36), 36)).toContain('separated by bars;');
  expect(otherSeparator(header(':', 19), 36)).toContain('separated by colons;');
  expect(otherSeparator(header(',', 18), 36)).toBe('');
  expect(otherSeparator([...header(',', 36), 'Name'], 36)).toBe('');
});
