import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { addDays, dateInZone, isCalendarDate } from '../../src/values/calendar-date.js';

describe('isCalendarDate', () => {
  test.each([
    ['2026-11-19', true],
    ['1900-01-01', true],
    ['2099-12-31', true],
    ['2024-02-29', true],
    ['2000-02-29', true],
    ['1900-02-29', false],
    ['2026-02-29', false],
    ['2026-04-31', false],
    ['2026-11-00', false],
    ['2026-00-01', false],
    ['2026-13-01', false],
    ['1899-12-31', false],
    ['2100-01-01', false],
    ['2026-1-1', false],
    ['26-11-19', false],
    ['2026-11-19 ', false],
    ['2026-11-19\n', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(isCalendarDate(text)).toBe(expected);
  });

  test('agrees with Temporal on every valid and every invalid day', () => {
    const part = (min: number, max: number) =>
      fc.integer({ min, max }).map((number) => String(number).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1900, max: 2099 }), part(0, 13), part(0, 32), (year, month, day) => {
        const text = `${year}-${month}-${day}`;
        let exists = true;
        try {
          Temporal.PlainDate.from(text);
        } catch {
          exists = false;
        }
        expect(isCalendarDate(text)).toBe(exists);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  ['2026-11-19', 1, '2026-11-20'],
  ['2026-12-31', 1, '2027-01-01'],
  ['2028-02-28', 1, '2028-02-29'],
  ['2026-03-01', -1, '2026-02-28'],
  ['2026-11-19', 0, '2026-11-19'],
])('addDays %s %d is %s', (date, days, expected) => {
  expect(addDays(date, days)).toBe(expected);
});

test.each([
  ['2026-11-19T23:30:00Z', 'UTC', '2026-11-19'],
  ['2026-11-19T23:30:00Z', 'Europe/Berlin', '2026-11-20'],
  ['2026-11-19T01:00:00Z', 'America/New_York', '2026-11-18'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29'],
])('the day of %s in %s is %s', (instant, zone, expected) => {
  expect(dateInZone(Temporal.Instant.from(instant).epochMilliseconds, zone)).toBe(expected);
});
