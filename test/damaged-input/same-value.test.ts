import { describe, expect, test } from 'vitest';
import { isSameCell, isSameDay, isSameText } from '../../src/damaged-input/same-value.js';
import { isSameWriting } from '../../src/damaged-input/same-writing.js';

/**
 * What a spreadsheet does to cells that nobody touched is no change, and anything else is one.
 * `test/intake/corrections/judge-correction.test.ts` has what this means for a row.
 */

test.each([
  ['19.11.2026 00:00', true],
  ['19.11.6', false],
  ['19.11.026', false],
  ['11.19.2026', false],
])('%s is the day 2026-11-19: %s', (given, expected) => {
  expect(isSameDay(given, '2026-11-19')).toBe(expected);
});

test.each([
  ['amount', '12,5', '12.50', true],
  ['amount', '12', '12.00', true],
  ['amount', '12.5', '12.500', false],
  ['amount', '', '0.00', false],
  ['last four', '0', '0000', true],
  // An emptied cell is no 0000 that lost its zeros.
  ['last four', '', '0000', false],
  ['timestamp', '19.11.2026 09:05', '2026-11-19 09:05:00', true],
  ['timestamp', '19.11.2026 9:05', '2026-11-19 09:05:00', true],
  ['timestamp', '19.11.2026 9:05:07', '2026-11-19 09:05:07', true],
  ['timestamp', '19.11.2026 9:05:08', '2026-11-19 09:05:07', false],
  ['timestamp', '19.11.2026 10:20', '2026-11-19 09:10:20', false],
  ['reference', '12', '0012', false],
] as const)('%s: %j is the cell %j: %s', (meaning, given, original, expected) => {
  expect(isSameCell(meaning, given, original)).toBe(expected);
});

test.each([
  [' 12 ', '0012', true],
  ['19.11.2026', '2026-11-19', true],
  ['12345678901234600000', '12345678901234567891', true],
  ['12345678901234500000', '12345678901234412345', false],
  ['12345678901234400000', '12345678901234412345', true],
  // Eighteen digits are more than a spreadsheet keeps: a person wrote them.
  ['12345678901234567800', '12345678901234567891', false],
  ['12345678901234', '12345678901234567', false],
])('the text %j is %j: %s', (given, original, expected) => {
  expect(isSameText(given, original)).toBe(expected);
});

describe('a cell that its column does not allow', () => {
  test.each([
    ['amount', 'x', 'x ', true],
    ['amount', '12,5', '€ 12,50', true],
    ['amount', '12,5', '€12,50', true],
    ['amount', '-12,5', '\u221212,50', true],
    ['amount', '1250', "1'250,00", true],
    ['amount', '1250', "1'250.00", true],
    ['amount', '13', '€ 12,50', false],
    ['date', '19.11.26', '2026/11/19', true],
    ['timestamp', '19.11.2026 9:05', '2026-11-19T09:05', true],
    ['timestamp', '19.11.2026 09:06', '2026-11-19T09:05', false],
  ] as const)('%s: %j is the cell %j: %s', (meaning, given, original, expected) => {
    expect(isSameWriting(meaning, given, original)).toBe(expected);
  });
});

test.each([
  ['carriage returns', 'other', '\r'],
  ['the letter T', 'timestamp', 'T'],
] as const)('a cell of a million %s is compared at once', (_what, meaning, character) => {
  const long = character.repeat(1_000_000);
  expect(isSameWriting(meaning, `a${long}b`, `${long}b`)).toBe(false);
});
