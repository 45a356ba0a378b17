import { describe, expect, test } from 'vitest';
import { nextNight, nightsDue, type Night, type Schedule } from '../../src/run/plan-nights.js';
import { addDays, dateInZone } from '../../src/values/calendar-date.js';

const hour = 3_600_000;
const day = 24 * hour;
const nightly = '30 2 * * *';

function schedule(changes: Partial<Schedule> = {}): Schedule {
  return { cron: nightly, timezone: 'Europe/Berlin', catchUpDays: 7, ...changes };
}

const datesOf = (nights: readonly Night[]) => nights.map((night) => night.asOf);

function datesFrom(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(first, index));
}

/** The time that the clock of the zone shows. */
function clockTime(ms: number, timezone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'medium' }).format(ms);
}

describe('F94 every local date has its night exactly once', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'Europe/London',
    'Europe/Moscow',
    'America/New_York',
    'America/Sao_Paulo',
    'America/St_Johns',
    'Africa/Casablanca',
    'Asia/Kolkata',
    'Asia/Tehran',
    'Australia/Lord_Howe',
    'Pacific/Chatham',
  ];

  test.each(zones)('ten years of 02:30 in %s', (timezone) => {
    const from = Date.UTC(2020, 0, 1);
    const to = Date.UTC(2030, 0, 1);
    const planned = schedule({ timezone, catchUpDays: 60 });
    const nights: Night[] = [];
    // As the scheduler does it: look now and then, and go on from the last night that was done.
    for (let now = from; now <= to; now += 20 * day) {
      nights.push(...nightsDue(planned, nights.at(-1)?.plannedAtMs ?? from, now));
    }
    const first = nights[0]?.asOf ?? '';
    expect(nights.length).toBeGreaterThan(3630);
    expect(datesOf(nights)).toEqual(datesFrom(first, nights.length));
    expect(nights.filter((night) => night.asOf !== dateInZone(night.plannedAtMs, timezone))).toEqual([]);
    // Only the night of a gap may have another time than the expression names.
    const elsewhere = nights.filter((night) => clockTime(night.plannedAtMs, timezone) !== '02:30:00');
    expect(elsewhere.length).toBeLessThanOrEqual(10);
  });

  test('in spring 02:30 does not exist: the run comes when the gap ends, as of the same day', () => {
    const before = Date.parse('2026-03-28T12:00:00Z');
    expect(nightsDue(schedule(), before, before + day)).toEqual([
      { plannedAtMs: Date.parse('2026-03-29T01:00:00Z'), asOf: '2026-03-29' },
    ]);
  });

  test('in autumn 02:30 comes twice: the run comes at the first and not at the second', () => {
    const first = Date.parse('2026-10-25T00:30:00Z');
    const before = Date.parse('2026-10-24T12:00:00Z');
    expect(nightsDue(schedule(), before, first)).toEqual([{ plannedAtMs: first, asOf: '2026-10-25' }]);
    expect(nightsDue(schedule(), first, first + 20 * hour)).toEqual([]);
  });

  test('the as-of date is the one of the zone, not of UTC', () => {
    const now = Date.parse('2026-11-20T18:00:00Z');
    const tokyo = schedule({ timezone: 'Asia/Tokyo' });
    expect(datesOf(nightsDue(tokyo, now - hour, now))).toEqual(['2026-11-21']);
  });
});

describe('F95 nights that were missed are caught up', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');

  test.each([
    [3, 7, ['2026-11-18', '2026-11-19', '2026-11-20']],
    [30, 2, ['2026-11-19', '2026-11-20']],
    [1, 7, ['2026-11-20']],
    [0, 7, []],
  ])('off for %i days with catchUpDays %i', (daysOff, catchUpDays, dates) => {
    expect(datesOf(nightsDue(schedule({ catchUpDays }), now - daysOff * day, now))).toEqual(dates);
  });

  test('a schedule of several runs a day is caught up once per date, with the latest of them', () => {
    const twice = schedule({ cron: '0 1,7 * * *', timezone: 'UTC' });
    const nights = nightsDue(twice, Date.parse('2026-11-17T12:00:00Z'), now);
    expect(nights).toEqual(
      ['2026-11-18', '2026-11-19', '2026-11-20'].map((asOf) => ({
        plannedAtMs: Date.parse(`${asOf}T07:00:00Z`),
        asOf,
      })),
    );
    expect(nightsDue(twice, nights.at(-1)?.plannedAtMs ?? 0, now)).toEqual([]);
  });

  test('a run every second does not queue up while another is at work, nor over a week', () => {
    const everySecond = schedule({ cron: '* * * * * *', timezone: 'UTC' });
    expect(nightsDue(everySecond, now - 5000, now + 300)).toEqual([{ plannedAtMs: now, asOf: '2026-11-20' }]);
    const nights = nightsDue(everySecond, now - 30 * day, now);
    expect(datesOf(nights)).toEqual(datesFrom('2026-11-13', 8));
    expect(nights.at(-1)?.plannedAtMs).toBe(now);
  });

  test('with catchUpDays 0 a run that is due is late, not missed; one of hours ago is missed', () => {
    const none = schedule({ catchUpDays: 0, timezone: 'UTC' });
    const planned = Date.parse('2026-11-20T02:30:00Z');
    const lastNight = planned - day;
    expect(datesOf(nightsDue(none, lastNight, planned))).toEqual(['2026-11-20']);
    expect(datesOf(nightsDue(none, lastNight, planned + 59_000))).toEqual(['2026-11-20']);
    expect(datesOf(nightsDue(none, lastNight, planned + 5 * hour))).toEqual([]);
  });

  test('a clock that was set back plans nothing again', () => {
    expect(nightsDue(schedule(), now + 3 * day, now)).toEqual([]);
  });
});

describe('an expression that is none', () => {
  test.each(['', 'nightly', '61 2 * * *', '30 2 * *', '30 2 * * * * * *'])('%j', (cron) => {
    const attempt = () => nightsDue(schedule({ cron }), 0, day);
    expect(attempt).toThrow(`schedule.cron "${cron}" is not a cron expression`);
    expect(attempt).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  test('a day that never comes has no next night', () => {
    expect(nextNight(schedule({ cron: '0 2 31 2 *' }), Date.UTC(2026, 0, 1))).toBeNull();
  });
});
