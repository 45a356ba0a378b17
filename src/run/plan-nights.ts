import { Cron } from 'croner';
import { ReconError, messageOf } from '../errors.js';
import { dateInZone, type CalendarDate } from '../values/calendar-date.js';

/** When runs are planned: a cron expression in a time zone, and how far back missed ones are caught up. */
export interface Schedule {
  readonly cron: string;
  readonly timezone: string;
  readonly catchUpDays: number;
}

/** One planned run. */
export interface Night {
  /** Milliseconds since the epoch. */
  readonly plannedAtMs: number;
  /** The day that the clock of the zone shows then: the run's as-of date. */
  readonly asOf: CalendarDate;
}

/** More missed runs than this in one go are a mistake in the expression, not an absence. */
const mostAtOnce = 1000;

/**
 * The runs that were planned after `lastDoneMs` and are due at `nowMs`, oldest first, none older than the
 * catch-up allows. What is due is computed, not fired: a timer knows nothing of a machine that was off, and
 * the usual ones skip the night on which the clock is put forward. A planned time that the zone skips that
 * night comes when the gap ends; one that it shows twice comes once.
 *
 * @throws ReconError CONFIG_INVALID when the expression is none.
 */
export function nightsDue(schedule: Schedule, lastDoneMs: number, nowMs: number): Night[] {
  const cron = parseCron(schedule);
  const earliest = nowMs - schedule.catchUpDays * 86_400_000;
  const nights: Night[] = [];
  let after = new Date(Math.max(lastDoneMs, earliest));
  while (nights.length < mostAtOnce) {
    const planned = cron.nextRun(after);
    if (planned === null || planned.getTime() > nowMs) break;
    nights.push({ plannedAtMs: planned.getTime(), asOf: dateInZone(planned.getTime(), schedule.timezone) });
    after = planned;
  }
  return nights;
}

/** The next planned moments, for telling the operator. */
export function nextNight(schedule: Schedule, nowMs: number): Night | null {
  const planned = parseCron(schedule).nextRun(new Date(nowMs));
  return planned === null
    ? null
    : { plannedAtMs: planned.getTime(), asOf: dateInZone(planned.getTime(), schedule.timezone) };
}

/** Whether the expression counts seconds: then the scheduler must look every second. */
export function hasSeconds(schedule: Schedule): boolean {
  return schedule.cron.trim().split(/\s+/).length > 5;
}

function parseCron(schedule: Schedule): Cron {
  try {
    return new Cron(schedule.cron, { timezone: schedule.timezone, paused: true });
  } catch (thrown) {
    throw new ReconError(
      'CONFIG_INVALID',
      `schedule.cron "${schedule.cron}" is not a cron expression: ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    );
  }
}
