import { Cron } from 'croner';
import { addDays, dateInZone, startOfDay, type CalendarDate } from '../values/calendar-date.js';

/** When runs are planned: a cron expression in a time zone, and how far back missed ones are caught up. */
export interface Schedule {
  /** Five fields, or six with seconds. */
  readonly cron: string;
  /** IANA name. */
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

/**
 * The nights that are due at `nowMs`: for every day of the zone on which a run was planned after `doneMs`,
 * the last one of that day, oldest day first, none older than the catch-up allows. What is due is computed
 * and not fired: a timer knows nothing of a machine that was off, and the usual one skips the night on which
 * the clock is put forward. A planned time that falls into that gap comes when the gap ends; one that the
 * clock shows twice comes once. However often the clock of the machine is put back or forward, a day whose
 * last planned time is done is done. Pure.
 *
 * @param doneMs the planned time of the last night that was completed
 */
export function nightsDue(schedule: Schedule, doneMs: number, nowMs: number): Night[] {
  const cron = parseCron(schedule);
  const oldest = addDays(dateInZone(nowMs, schedule.timezone), -schedule.catchUpDays);
  const nights: Night[] = [];
  // Croner looks strictly before a whole second.
  let before = Math.floor(nowMs / 1000) * 1000 + 1000;
  for (;;) {
    const [planned] = cron.previousRuns(1, new Date(before));
    if (planned === undefined || planned.getTime() <= doneMs) break;
    const asOf = dateInZone(planned.getTime(), schedule.timezone);
    if (asOf < oldest) break;
    nights.push({ plannedAtMs: planned.getTime(), asOf });
    before = startOfDay(asOf, schedule.timezone);
  }
  return nights.reverse();
}

/** The next planned run after this moment; null when there is none any more. Pure. */
export function nextNight(schedule: Schedule, nowMs: number): Night | null {
  const planned = parseCron(schedule).nextRun(new Date(nowMs));
  if (planned === null) return null;
  return { plannedAtMs: planned.getTime(), asOf: dateInZone(planned.getTime(), schedule.timezone) };
}

/** Whether the expression counts seconds: then the scheduler must look every second. */
export function hasSeconds({ cron }: Schedule): boolean {
  return cron.trim().split(/\s+/).length > 5;
}

function parseCron({ cron, timezone }: Schedule): Cron {
  return new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
}
