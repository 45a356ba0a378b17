import { Cron } from 'croner';
import { addDays, dateInZone, startOfDay, type CalendarDate } from '../values/calendar-date.js';

/** When runs are planned: a cron expression in a time zone, and how many days back missed runs are made up for. */
export interface Schedule {
  /** Five fields, or six with seconds. */
  readonly cron: string;
  /** IANA name. */
  readonly timezone: string;
  readonly catchUpDays: number;
}

/** One planned run. */
export interface PlannedRun {
  /** Milliseconds since the epoch. */
  readonly plannedAtMs: number;
  /** The date in the zone at that time: the run's as-of date. */
  readonly asOf: CalendarDate;
}

/**
 * The runs that are due at `nowMs`: for every day of the zone on which a run was planned after `doneMs`, the last
 * one of that day, oldest day first, none older than the catch-up allows. Due runs are computed instead of fired,
 * because a timer misses the time when the machine was off, and node-cron skips the day on which the clock is put
 * forward. A planned time that falls into that gap is due when the gap ends; a time that the clock shows twice is
 * due once. However often the machine's clock is changed, a day whose last planned run is completed stays done. Pure.
 *
 * @param doneMs the planned time of the last completed run
 */
export function runsDue(schedule: Schedule, doneMs: number, nowMs: number): PlannedRun[] {
  const cron = parseCron(schedule);
  const oldest = addDays(dateInZone(nowMs, schedule.timezone), -schedule.catchUpDays);
  const due: PlannedRun[] = [];
  // Croner looks strictly before a whole second.
  let before = Math.floor(nowMs / 1000) * 1000 + 1000;
  for (;;) {
    const [planned] = cron.previousRuns(1, new Date(before));
    if (planned === undefined || planned.getTime() <= doneMs) break;
    const asOf = dateInZone(planned.getTime(), schedule.timezone);
    if (asOf < oldest) break;
    due.push({ plannedAtMs: planned.getTime(), asOf });
    before = startOfDay(asOf, schedule.timezone);
  }
  return due.reverse();
}

/** The next planned run after this moment; null when no further one is planned. Pure. */
export function nextRun(schedule: Schedule, nowMs: number): PlannedRun | null {
  const planned = parseCron(schedule).nextRun(new Date(nowMs));
  if (planned === null) return null;
  return { plannedAtMs: planned.getTime(), asOf: dateInZone(planned.getTime(), schedule.timezone) };
}

/** Whether the expression has seconds: then the scheduler must check every second. */
export function hasSeconds({ cron }: Schedule): boolean {
  return cron.trim().split(/\s+/).length > 5;
}

function parseCron({ cron, timezone }: Schedule): Cron {
  return new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
}
