import { describe, expect, test } from 'vitest';
import { currencies, isCurrency } from '../../src/values/currencies.js';

describe('currencies', () => {
  test.each([
    ['EUR', 2, null],
    ['JPY', 0, null],
    ['HUF', 2, null],
    ['KWD', 3, null],
    ['CLF', 4, null],
    ['XCG', 2, null],
    ['XOF', 0, null],
    ['ZWG', 2, null],
    ['HRK', 2, '2023-01-01'],
    ['BGN', 2, '2026-01-01'],
    ['ANG', 2, '2025-07-01'],
  ])('%s has %d digits and was withdrawn on %s', (code, minorUnits, withdrawnOn) => {
    expect(currencies.get(code)).toEqual({ code, minorUnits, withdrawnOn });
  });

  test.each(['', 'eur', 'EU', 'EURO', ' EUR', 'DEM', 'XXX', 'XTS', 'XAU', 'XDR', 'BTC', '978'])(
    '%j is not a currency',
    (text) => {
      expect(isCurrency(text)).toBe(false);
    },
  );

  test('codes are three capitals, and none is listed twice', () => {
    for (const code of currencies.keys()) expect(code).toMatch(/^[A-Z]{3}$/);
    const tender = [...currencies.values()].filter((entry) => entry.withdrawnOn === null);
    // 156 in which people are paid and 9 fund codes.
    expect([tender.length, currencies.size]).toEqual([165, 174]);
  });
});
