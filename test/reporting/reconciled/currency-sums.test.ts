import { expect, test } from 'vitest';
import { CurrencySums } from '../../../src/reporting/reconciled/currency-sums.js';

const codes = (currency: string) =>
  [currency.charCodeAt(0), currency.charCodeAt(1), currency.charCodeAt(2)] as const;

test('sums stay exact far beyond what a float can count', () => {
  const sums = new CurrencySums();
  const largest = 999_999_999_999;
  for (let index = 0; index < 20_000; index += 1) sums.add(...codes('EUR'), largest);
  sums.add(...codes('JPY'), 1);
  expect(sums.totals()).toEqual(
    new Map([
      ['EUR', 999_999_999_999n * 20_000n],
      ['JPY', 1n],
    ]),
  );
});
