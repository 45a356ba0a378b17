import { Cron } from 'croner';
import { Temporal } from 'temporal-polyfill';
import type { Expectation } from '../remote/source-settings.js';
import { addDays, type CalendarDate } from '../values/calendar-date.js';
import { isTarget2Holiday } from './target2.js';

/** A search for a day ends after this many: a delivery that is rarer than once in four years is not found. */
const longestSearchDays = 4 * 366;

/** The days of an expectation, and when each delivery is due. Pure: it reads no clock. */
export class DeliveryCalendar {
  readonly #expectation: Expectation;
  readonly #cron: Cron | null;

  constructor(expectation: Expectation) {
    this.#expectation = expectation;
    const { days } = expectation;
    // Only the day of an occurrence counts, so it is read as UTC, where every day has 24 hours.
    this.#cron =
      days === 'daily' || days === 'weekdays'
        ? null
        : new Cron(days, { timezone: 'UTC', paused: true, mode: '5-or-6-parts' });
  }

  /** Whether a delivery is expected for the day. */
  expects(date: CalendarDate): boolean {
    if (!this.#isDeliveryDay(date)) return false;
    if (this.#cron === null) return true;
    const next = this.#cron.nextRun(new Date(Date.parse(`${date}T00:00:00Z`) - 1000));
    return next !== null && next.toISOString().startsWith(date);
  }

  /** The day on which the delivery for `date` is due. */
  dueDay(date: CalendarDate): CalendarDate {
    let day = date;
    for (let left = this.#expectation.lagDays; left > 0; left -= 1) {
      do day = addDays(day, 1);
      while (!this.#isDeliveryDay(day));
    }
    return day;
  }

  /**
   * The moment until which the delivery for `date` is in time. A deadline that the clock skips in spring is later by
   * what it skips (02:30 is 03:30); of one that it shows twice in autumn, the first counts.
   */
  dueAtMs(date: CalendarDate): number {
    const { deadline, timezone } = this.#expectation;
    return Temporal.PlainDate.from(this.dueDay(date)).toZonedDateTime({
      timeZone: timezone,
      plainTime: deadline,
    }).epochMilliseconds;
  }

  /** The latest day up to `date` for which a delivery is expected. */
  latestUpTo(date: CalendarDate): CalendarDate | undefined {
    for (let day = date, left = longestSearchDays; left > 0; day = addDays(day, -1), left -= 1) {
      if (this.expects(day)) return day;
    }
    return undefined;
  }

  /** The earliest day whose delivery is due on `date` or later. */
  earliestDueFrom(date: CalendarDate): CalendarDate | undefined {
    const first = addDays(date, -2 * this.#expectation.lagDays - 14);
    for (let day = first, left = longestSearchDays; left > 0; day = addDays(day, 1), left -= 1) {
      if (this.expects(day) && this.dueDay(day) >= date) return day;
    }
    return undefined;
  }

  #isDeliveryDay(date: CalendarDate): boolean {
    const { days, holidays } = this.#expectation;
    // 6 and 7 are Saturday and Sunday.
    if (days === 'weekdays' && Temporal.PlainDate.from(date).dayOfWeek > 5) return false;
    return holidays === 'TARGET2' ? !isTarget2Holiday(date) : !holidays.has(date);
  }
}
