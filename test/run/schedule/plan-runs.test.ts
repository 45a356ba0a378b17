import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { hasSeconds, nextRun, runsDue } from '../../../src/run/schedule/plan-runs.js';
import type { Schedule } from '../../../src/run/schedule/planned-run.js';

const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const schedule = (changes: Partial<Schedule> = {}): Schedule => ({
  cron: '30 5 * * *',
  timezone: 'UTC',
  catchUpDays: 7,
  ...changes,
});
const reported = (nights: readonly { plannedAtMs: number; asOf: string }[]) =>
  nights.map(({ plannedAtMs, asOf }) => `${asOf} ${new Date(plannedAtMs).toISOString().slice(0, 16)}`);

describe('what is due', () => {
  const nuuk = { cron: '30 23 * * *', timezone: 'America/Nuuk', catchUpDays: 0 };
  const berlin = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
  test.each([
    ['nothing before the time', {}, '2026-11-19T05:30:00Z', '2026-11-20T05:29:59Z', []],
    [
      'the night, to the second',
      {},
      '2026-11-19T05:30:00Z',
      '2026-11-20T05:30:00Z',
      ['2026-11-20 2026-11-20T05:30'],
    ],
    ['nothing once it is done', {}, '2026-11-20T05:30:00Z', '2026-11-21T05:29:00Z', []],
    [
      'every night that was missed, oldest first',
      {},
      '2026-11-17T05:30:00Z',
      '2026-11-20T12:00:00Z',
      ['2026-11-18 2026-11-18T05:30', '2026-11-19 2026-11-19T05:30', '2026-11-20 2026-11-20T05:30'],
    ],
    [
      'no further back than the catch-up',
      { catchUpDays: 1 },
      '2026-11-01T05:30:00Z',
      '2026-11-20T12:00:00Z',
      ['2026-11-19 2026-11-19T05:30', '2026-11-20 2026-11-20T05:30'],
    ],
    [
      'only today without catch-up',
      { catchUpDays: 0 },
      '2026-11-01T05:30:00Z',
      '2026-11-20T12:00:00Z',
      ['2026-11-20 2026-11-20T05:30'],
    ],
    ['nothing from the future', {}, '2026-11-25T05:30:00Z', '2026-11-20T12:00:00Z', []],
    [
      'one a day of an hourly schedule, the last',
      { cron: '0 * * * *' },
      '2026-11-18T22:00:00Z',
      '2026-11-20T03:10:00Z',
      ['2026-11-18 2026-11-18T23:00', '2026-11-19 2026-11-19T23:00', '2026-11-20 2026-11-20T03:00'],
    ],
    [
      'the day is that of the zone',
      { cron: '30 0 * * *', timezone: 'Asia/Tokyo' },
      '2026-11-18T15:30:00Z',
      '2026-11-19T15:30:00Z',
      ['2026-11-20 2026-11-19T15:30'],
    ],
    [
      'the night in which the clock is put forward: when the gap ends',
      berlin,
      '2027-03-27T01:30:00Z',
      '2027-03-28T01:00:00Z',
      ['2027-03-28 2027-03-28T01:00'],
    ],
    ['and not before', berlin, '2027-03-27T01:30:00Z', '2027-03-28T00:59:59Z', []],
    [
      'the night in which it is put back: the first time',
      berlin,
      '2027-10-30T00:30:00Z',
      '2027-10-31T00:30:00Z',
      ['2027-10-31 2027-10-31T00:30'],
    ],
    ['and not the second time', berlin, '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z', []],
    [
      'a night whose hour before midnight is skipped: when the next day begins',
      nuuk,
      '2026-03-28T01:30:00Z',
      '2026-03-29T01:00:00Z',
      ['2026-03-28 2026-03-29T01:00'],
    ],
    ['and not before', nuuk, '2026-03-28T01:30:00Z', '2026-03-29T00:59:59Z', []],
    ['and not again', nuuk, '2026-03-29T01:00:00Z', '2026-03-29T23:59:59Z', []],
    [
      'and on a later day, if the machine was off',
      { ...nuuk, catchUpDays: 7 },
      '2026-03-28T01:30:00Z',
      '2026-03-30T12:00:00Z',
      ['2026-03-28 2026-03-29T01:00', '2026-03-29 2026-03-30T00:30'],
    ],
    [
      'once, if the next day begins with a run',
      { ...nuuk, cron: '*/30 * * * *' },
      '2026-03-29T00:30:00Z',
      '2026-03-29T01:00:00Z',
      ['2026-03-29 2026-03-29T01:00'],
    ],
    [
      'only on the days of the expression',
      { cron: '0 6 * * 1-5' },
      '2026-11-19T06:00:00Z',
      '2026-11-23T06:00:00Z',
      ['2026-11-20 2026-11-20T06:00', '2026-11-23 2026-11-23T06:00'],
    ],
  ] as const)('%s', (_name, changes, done, now, nights) => {
    expect(reported(runsDue(schedule(changes), at(done), at(now)))).toEqual(nights);
  });

  test('a schedule of seconds that was silent for a week is planned at once', () => {
    const everySecond = schedule({ cron: '* * * * * *' });
    const begun = performance.now();
    expect(runsDue(everySecond, at('2026-11-13T00:00:00Z'), at('2026-11-20T12:00:00Z'))).toHaveLength(8);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});

/** The planned times are in gaps and overlaps of these zones, among them at midnight and of half an hour. */
const zones: [timezone: string, cron: string][] = [
  ['UTC', '30 2 * * *'],
  ['Europe/Berlin', '30 2 * * *'],
  ['Europe/London', '30 1 * * *'],
  ['Atlantic/Azores', '15 0 * * *'],
  ['America/New_York', '0 2 * * *'],
  ['America/St_Johns', '30 2 * * *'],
  ['America/Santiago', '0 0 * * *'],
  ['America/Havana', '30 0 * * *'],
  ['America/Sao_Paulo', '0 0 * * *'],
  ['Africa/Cairo', '30 0 * * *'],
  ['Asia/Kolkata', '59 23 * * *'],
  ['Asia/Beirut', '0 0 * * *'],
  ['Australia/Lord_Howe', '15 2 * * *'],
  ['Pacific/Apia', '30 3 * * *'],
];

/**
 * Where a night can go wrong: two weeks around each change of the clock in three years, and a leap year whole.
 * Among them are the days on which Apia changed sides of the date line.
 */
function stretchesOf(timezone: string): [from: Temporal.PlainDate, to: Temporal.PlainDate][] {
  const stretches: [Temporal.PlainDate, Temporal.PlainDate][] = [
    [Temporal.PlainDate.from('2012-01-01'), Temporal.PlainDate.from('2013-01-01')],
  ];
  const end = at('2014-01-01T00:00:00Z');
  let moment = Temporal.Instant.from('2011-01-01T00:00:00Z').toZonedDateTimeISO(timezone);
  for (;;) {
    const change = moment.getTimeZoneTransition('next');
    if (change === null || change.epochMilliseconds >= end) return stretches;
    const date = change.toPlainDate();
    stretches.push([date.subtract({ days: 7 }), date.add({ days: 8 })]);
    moment = change;
  }
}

/** Days as the zone's calendar has them: Apia had no 30 December 2011. */
function daysBetween(from: Temporal.PlainDate, to: Temporal.PlainDate, timezone: string): string[] {
  const days: string[] = [];
  for (let date = from; Temporal.PlainDate.compare(date, to) < 0; date = date.add({ days: 1 })) {
    if (date.toZonedDateTime(timezone).toPlainDate().equals(date)) days.push(date.toString());
  }
  return days;
}

describe.each(zones)('F94 three years of planned runs in %s at %s', (timezone, cron) => {
  const nightly = schedule({ timezone, cron });

  test('a scheduler that looks every 23 hours handles every day once, in order', () => {
    for (const [from, to] of stretchesOf(timezone)) {
      let done = from.toZonedDateTime(timezone).epochMilliseconds - 1;
      const end = to.toZonedDateTime(timezone).epochMilliseconds;
      const handled: string[] = [];
      for (let now = done; now < end + 23 * 3_600_000; now += 23 * 3_600_000) {
        // The last look is at the last moment of the stretch.
        for (const night of runsDue(nightly, done, Math.min(now, end - 1))) {
          handled.push(night.asOf);
          done = night.plannedAtMs;
        }
      }
      expect(handled).toEqual(daysBetween(from, to, timezone));
    }
  });

  test('however irregularly it checks, and however the clock jumps, no day is planned twice', () => {
    const start = at('2011-10-01T00:00:00Z');
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -26, max: 60 }), { minLength: 1, maxLength: 60 }), (steps) => {
        let [now, done] = [start, start];
        const handled: string[] = [];
        for (const hours of steps) {
          now += hours * 3_600_000;
          for (const night of runsDue(nightly, done, now)) {
            expect(night.plannedAtMs).toBeGreaterThan(done);
            expect(night.plannedAtMs).toBeLessThanOrEqual(now);
            handled.push(night.asOf);
            done = night.plannedAtMs;
          }
        }
        expect(handled).toEqual([...new Set(handled)].sort());
      }),
      { numRuns: 15 },
    );
  });
});

test('the next run', () => {
  expect(nextRun(schedule(), at('2026-11-20T05:30:00Z'))).toEqual({
    plannedAtMs: at('2026-11-21T05:30:00Z'),
    asOf: '2026-11-21',
  });
  const nuuk = schedule({ cron: '30 23 * * *', timezone: 'America/Nuuk' });
  expect(reported([nextRun(nuuk, at('2026-03-28T12:00:00Z'))].flatMap((run) => run ?? []))).toEqual([
    '2026-03-28 2026-03-29T01:00',
  ]);
  expect(nextRun(schedule({ cron: '0 5 31 2 *' }), at('2026-11-20T05:30:00Z'))).toBeNull();
});

test.each([
  ['30 5 * * *', false],
  [' 30 5 * * * ', false],
  ['0 30 5 * * *', true],
])('%s counts seconds: %s', (cron, seconds) => {
  expect(hasSeconds(schedule({ cron }))).toBe(seconds);
});
