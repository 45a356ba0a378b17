import { describe, expect, test } from 'vitest';
import { countries, isCountryAlpha2, isCountryAlpha3, isCountryNumeric } from '../../src/values/countries.js';

describe('ISO 3166-1', () => {
  test('has 249 entries, every code once', () => {
    expect(countries).toHaveLength(249);
    for (const form of ['alpha2', 'alpha3', 'numeric'] as const) {
      expect(new Set(countries.map((country) => country[form])).size).toBe(249);
    }
  });

  test.each(countries)('$alpha2 is well formed and known to the runtime under both codes', (country) => {
    expect(country.alpha2).toMatch(/^[A-Z]{2}$/);
    expect(country.alpha3).toMatch(/^[A-Z]{3}$/);
    expect(country.numeric).toMatch(/^\d{3}$/);
    expect(
      new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(country.alpha2),
    ).toBeDefined();
    // A numeric region is an alias of the letters wherever the runtime knows both.
    expect(Intl.getCanonicalLocales(`und-${country.numeric}`)).toEqual([`und-${country.alpha2}`]);
  });

  test.each([
    ['DE', true, false, false],
    ['de', false, false, false],
    ['EU', false, false, false],
    ['XK', false, false, false],
    ['DEU', false, true, false],
    ['276', false, false, true],
    ['76', false, false, false],
    ['076', false, false, true],
    ['', false, false, false],
  ])('%s: alpha-2 %s, alpha-3 %s, numeric %s', (code, alpha2, alpha3, numeric) => {
    expect([isCountryAlpha2(code), isCountryAlpha3(code), isCountryNumeric(code)]).toEqual([
      alpha2,
      alpha3,
      numeric,
    ]);
  });
});
