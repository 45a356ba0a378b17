import { expect, test } from 'vitest';
import { plainAmount } from '../../src/items/plain-amount.js';

test.each([
  ['1,500.00', '1500.00'],
  ['1 500.00', '1500.00'],
  ['1\u202F234\u202F500.00', '1234500.00'],
  ['1.500,00', '1500.00'],
  ['\u22121,500.00', '1500.00'],
  ['12,50', '12.50'],
  ['12.50', '12.50'],
  ['1500.00', '1500.00'],
  // These may be anything.
  ['1,500', '1,500'],
  ['1.500', '1.500'],
  ['1,500,00', '1,500,00'],
  ['STL-1', 'STL-1'],
  ['1 500.00 EUR', '1 500.00 EUR'],
  ['', ''],
])('%s is searched as %s', (text, expected) => {
  expect(plainAmount(text)).toBe(expected);
});
