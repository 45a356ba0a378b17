import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAmount, parseAmount } from '../../src/values/money.js';

describe('parseAmount', () => {
  test.each([
    ['0.00', 0n],
    ['0.01', 1n],
    ['123.45', 12345n],
    ['0000000001.00', 100n],
    ['9999999999.99', 999999999999n],
    ['12345678901.00', undefined],
    ['1', undefined],
    ['1.0', undefined],
    ['1.000', undefined],
    ['.50', undefined],
    ['-1.00', undefined],
    ['+1.00', undefined],
    ['1,00', undefined],
    ['1e3', undefined],
    ['0x1.00', undefined],
    [' 1.00', undefined],
    ['1.00\n', undefined],
    ['', undefined],
  ])('%j is %s', (text, minor) => {
    expect(parseAmount(text)).toBe(minor);
  });
});

test.each([
  [0n, '0.00'],
  [5n, '0.05'],
  [-5n, '-0.05'],
  [-12345n, '-123.45'],
  [100n, '1.00'],
])('formatAmount of %s is %s', (minor, text) => {
  expect(formatAmount(minor)).toBe(text);
});

test('an amount that is written is read back the same', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999n }), (minor) => {
      expect(parseAmount(formatAmount(minor))).toBe(minor);
    }),
  );
});
