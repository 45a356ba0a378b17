import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { DeliveryCalendar } from '../../src/expected/delivery-calendar.js';
import { judgeExpected, judgedForDays, type DeliveredFile } from '../../src/expected/judge-expected.js';
import { isTarget2Holiday } from '../../src/expected/target2.js';
import type { Expectation } from '../../src/remote/source-settings.js';
import { addDays, dateInZone } from '../../src/values/calendar-date.js';

/** Ten years of days in zones whose clocks change at night, at midnight, by half an hour, by a day, or never. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Santiago',
  'America/St_Johns',
  'Africa/Cairo',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
];
const firstDay = '2020-01-01';
const daysOfTenYears = 3653;

const usual: Expectation = {
  days: 'daily',
  holidays: new Set(),
  lagDays: 1,
  deadline: '07:00',
  timezone: 'UTC',
  files: 1,
  filePattern: null,
  sequence: null,
  rows: { min: 0, max: Number.MAX_SAFE_INTEGER },
};

const file = (
  date: string | null,
  deliveredAtMs: number,
  changes: Partial<DeliveredFile> = {},
): DeliveredFile => ({
  name: `${date ?? 'empty'}.csv`,
  packedName: null,
  sha256: `${date ?? ''} ${deliveredAtMs}`,
  lastSettlementDate: date,
  deliveredAtMs,
  rows: 1,
  counts: true,
  ...changes,
});

const expectation = fc.record({
  days: fc.constantFrom('daily', 'weekdays', '0 0 * * 1', '0 0 1 * *', '30 2 15,28 * *'),
  holidays: fc.constantFrom<Expectation['holidays']>(
    'TARGET2',
    new Set(),
    new Set(['2024-02-29', '2025-03-30']),
  ),
  lagDays: fc.integer({ min: 0, max: 4 }),
  deadline: fc.constantFrom('00:00', '00:30', '02:30', '03:00', '07:00', '23:59'),
});

describe.each(zones)('in %s', (timezone) => {
  test('every expected day of ten years has one deadline, at its time of day, later than the one before', () => {
    for (const deadline of ['00:00', '02:30', '07:00']) {
      const calendar = new DeliveryCalendar({ ...usual, timezone, deadline });
      let before = -Infinity;
      for (let n = 0, date = firstDay; n < daysOfTenYears; n += 1, date = addDays(date, 1)) {
        const dueAtMs = calendar.dueAtMs(date);
        expect(dueAtMs).toBeGreaterThan(before);
        before = dueAtMs;
        const local = Temporal.Instant.fromEpochMilliseconds(dueAtMs).toZonedDateTimeISO(timezone);
        const time = local.toPlainTime().toString().slice(0, 5);
        // In a gap the clock never shows the deadline, so it is over when the gap ends; Apia skipped no day since 2020.
        if (time !== deadline) expect(local.subtract({ hours: 2 }).offset).not.toBe(local.offset);
        expect(local.toPlainDate().toString()).toBe(addDays(date, 1));
      }
    }
  });

  test('a file is in time until the deadline and late after it; without it the delivery is outstanding, then missing', () => {
    fc.assert(
      fc.property(expectation, fc.integer({ min: 0, max: daysOfTenYears }), (changes, n) => {
        const wanted: Expectation = { ...usual, ...changes, timezone };
        const calendar = new DeliveryCalendar(wanted);
        const date = calendar.latestUpTo(addDays(firstDay, n)) ?? '';
        const dueAtMs = calendar.dueAtMs(date);
        const at = (atMs: number, files: DeliveredFile[]) =>
          judgeExpected(wanted, files, { atMs, range: null, since: addDays(date, -40) }).find(
            (judged) => judged.date === date,
          )?.status;
        expect(at(dueAtMs, [])).toBe('outstanding');
        // A minute past 23:59 is the next day, on which the delivery is still judged.
        expect(at(dueAtMs + 1, [])).toBe('missing');
        expect(at(dueAtMs + 1, [file(date, dueAtMs)])).toBe('arrived');
        expect(at(dueAtMs + 2, [file(date, dueAtMs + 1)])).toBe('late');
        // What was rejected or withdrawn, and what is about another day, is no delivery of this one.
        expect(at(dueAtMs + 1, [file(date, dueAtMs, { counts: false })])).toBe('missing');
        const next = calendar.latestUpTo(addDays(date, 200));
        expect(at(dueAtMs + 1, [file(next ?? '', dueAtMs)])).toBe('missing');
      }),
      { numRuns: 40 },
    );
  });

  test('the judged days are the expected ones, each once, none from before the source began', () => {
    fc.assert(
      fc.property(
        expectation,
        fc.integer({ min: 100, max: daysOfTenYears }),
        fc.integer({ min: 0, max: 40 }),
        (changes, n, age) => {
          const wanted: Expectation = { ...usual, ...changes, timezone };
          const calendar = new DeliveryCalendar(wanted);
          const today = addDays(firstDay, n);
          const atMs = Temporal.PlainDate.from(today).toZonedDateTime({
            timeZone: timezone,
            plainTime: '12:00',
          }).epochMilliseconds;
          expect(dateInZone(atMs, timezone)).toBe(today);
          const since = addDays(today, -age);
          const judged = judgeExpected(wanted, [], { atMs, range: null, since }).map(({ date }) => date);
          const plain: string[] = [];
          for (let date = addDays(today, -60); date <= today; date = addDays(date, 1)) {
            const due = calendar.dueDay(date);
            if (!calendar.expects(date) || date < since) continue;
            if (due <= today && due >= addDays(today, -judgedForDays)) plain.push(date);
          }
          expect(judged).toEqual(plain);
        },
      ),
      { numRuns: 40 },
    );
  });
});

test('the holidays of TARGET are those of the calendar of the European Central Bank', () => {
  // Good Friday and Easter Monday of ten years, as the bank published them.
  const easter = [
    ['2020-04-10', '2020-04-13'],
    ['2021-04-02', '2021-04-05'],
    ['2022-04-15', '2022-04-18'],
    ['2023-04-07', '2023-04-10'],
    ['2024-03-29', '2024-04-01'],
    ['2025-04-18', '2025-04-21'],
    ['2026-04-03', '2026-04-06'],
    ['2027-03-26', '2027-03-29'],
    ['2028-04-14', '2028-04-17'],
    ['2029-03-30', '2029-04-02'],
  ].flat();
  const found: string[] = [];
  for (let n = 0, date = firstDay; n < daysOfTenYears; n += 1, date = addDays(date, 1)) {
    if (isTarget2Holiday(date)) found.push(date);
  }
  const fixed = easter
    .map((date) => date.slice(0, 4))
    .flatMap((year) => [`${year}-01-01`, `${year}-05-01`, `${year}-12-25`, `${year}-12-26`]);
  expect(found).toEqual([...new Set([...easter, ...fixed])].sort());
});

test('the delivery for the day before a weekend or holidays is due after them', () => {
  const calendar = new DeliveryCalendar({ ...usual, days: 'weekdays', holidays: 'TARGET2' });
  expect(calendar.dueDay('2026-11-20')).toBe('2026-11-23');
  expect(calendar.dueDay('2026-04-02')).toBe('2026-04-07');
  expect(
    ['2026-11-20', '2026-11-21', '2026-04-03', '2026-12-24'].map((date) => calendar.expects(date)),
  ).toEqual([true, false, false, true]);
});

test('several files make a delivery, names distinguish deliveries, and an empty file belongs to the day it is due', () => {
  const due = Date.parse('2026-11-20T07:00:00Z');
  const days = { atMs: due + 1, range: null, since: '2026-11-19' };
  const status = (changes: Partial<Expectation>, files: DeliveredFile[]) =>
    judgeExpected({ ...usual, ...changes }, files, days).map((judged) => judged.status);
  const two = [file('2026-11-19', due - 5), file('2026-11-19', due - 2, { name: 'sepa.csv' })];
  expect(status({ files: 2 }, two)).toEqual(['arrived']);
  expect(status({ files: 3 }, two)).toEqual(['missing']);
  expect(status({ filePattern: 'sepa*' }, two)).toEqual(['arrived']);
  expect(status({ filePattern: 'card*' }, two)).toEqual(['missing']);
  expect(status({}, [file(null, due - 5)])).toEqual(['arrived']);
});

test('a file that comes again under its name corrects the former one, so another one is still awaited', () => {
  const due = Date.parse('2026-11-20T07:00:00Z');
  const days = { atMs: due + 10, range: null, since: '2026-11-19' };
  const status = (files: DeliveredFile[]) =>
    judgeExpected({ ...usual, files: 2 }, files, days).map((judged) => judged.status);
  const [first, corrected] = [file('2026-11-19', due - 5), file('2026-11-19', due + 1)];
  const other = { name: 'sepa.csv' };
  expect(status([first, corrected])).toEqual(['missing']);
  expect(status([first, file('2026-11-19', due - 1, other), corrected])).toEqual(['arrived']);
  expect(status([first, corrected, file('2026-11-19', due + 2, other)])).toEqual(['late']);
  // Two packed files may contain a file of one name.
  const packed = (packedName: string, atMs: number) => file('2026-11-19', atMs, { packedName });
  expect(status([packed('a.zip', due - 5), packed('b.zip', due - 4)])).toEqual(['arrived']);
  expect(status([packed('a.zip', due - 5), packed('a.zip', due - 4)])).toEqual(['missing']);
});

test('a skipped number is reported with the next file that counts', () => {
  const day = (date: string, number: number, counts = true) =>
    file(date, Date.parse(`${date}T12:00:00Z`), { name: `x_${number}.csv`, counts });
  const problems = (...files: DeliveredFile[]) =>
    judgeExpected({ ...usual, sequence: /_(\d+)\.csv$/ }, files, {
      ...{ atMs: Date.parse('2026-11-20T12:00:00Z'), range: null, since: '2026-11-16' },
    }).flatMap((judged) => judged.problems);
  const [first, rejected] = [day('2026-11-16', 3), day('2026-11-17', 5, false)];
  expect(problems(first, rejected)).toEqual([]);
  expect(problems(first, rejected, day('2026-11-18', 6))).toEqual([
    'x_6.csv: Between 3 and 5, the number 4 did not arrive.',
  ]);
});

test('a number that is used again under the same name is reported only with a file of another day', () => {
  const noon = (date: string) => Date.parse(`${date}T12:00:00Z`);
  const first = file('2026-11-17', noon('2026-11-17'), { name: 'x_3.csv' });
  const problems = (...files: DeliveredFile[]) =>
    judgeExpected({ ...usual, sequence: /_(\d+)\.csv$/ }, files, {
      ...{ atMs: noon('2026-11-20'), range: null, since: '2026-11-17' },
    }).map((judged) => [judged.date, ...judged.problems]);
  expect(problems(first, file('2026-11-17', noon('2026-11-18'), { name: 'x_3.csv' }))).toEqual([
    ['2026-11-17'],
    ['2026-11-18'],
    ['2026-11-19'],
  ]);
  expect(problems(first, file('2026-11-18', noon('2026-11-18'), { name: 'x_3.csv' }))).toEqual([
    ['2026-11-17'],
    ['2026-11-18', 'x_3.csv: The number 3 was already used by x_3.csv.'],
    ['2026-11-19'],
  ]);
});

test('a count of rows outside its bounds is reported with the file', () => {
  const [judged] = judgeExpected(
    { ...usual, rows: { min: 2, max: 10 } },
    [
      file('2026-11-19', 0),
      file('2026-11-19', 1, { name: 'b.csv', rows: 11 }),
      file('2026-11-19', 2, { rows: 2 }),
    ],
    { atMs: Date.parse('2026-11-20T12:00:00Z'), range: null, since: '2026-11-19' },
  );
  expect(judged?.problems).toEqual([
    '2026-11-19.csv: It has 1 row, and at least 2 are expected.',
    'b.csv: It has 11 rows, and at most 10 are expected.',
  ]);
});
