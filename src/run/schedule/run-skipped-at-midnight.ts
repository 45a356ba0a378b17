import { Temporal } from 'temporal-polyfill';
import { parseCron, type PlannedRun, type Schedule } from './planned-run.js';

/**
 * The latest run whose planned time the clock of the zone skips at the end of a day, as in Nuuk, where on one day of
 * a year 22:59 is followed by 00:00. It is due when the gap ends, and is the run of the day that ended. Croner passes
 * over it, because the next moment that the clock shows is on another day. Pure.
 *
 * @returns null unless the gap ends after the one moment and not after the other
 */
export function runSkippedAtMidnight(schedule: Schedule, afterMs: number, upToMs: number): PlannedRun | null {
  let change = Temporal.Instant.fromEpochMilliseconds(upToMs + 1)
    .toZonedDateTimeISO(schedule.timezone)
    .getTimeZoneTransition('previous');
  while (change !== null && change.epochMilliseconds > afterMs) {
    const skipped = runInGap(schedule, change);
    if (skipped !== null) return skipped;
    change = change.getTimeZoneTransition('previous');
  }
  return null;
}

/** @param end the first moment after a change of the clock */
function runInGap(schedule: Schedule, end: Temporal.ZonedDateTime): PlannedRun | null {
  const from = end.subtract({ nanoseconds: 1 }).toPlainDateTime().add({ nanoseconds: 1 });
  const day = from.toPlainDate();
  // If the whole day is skipped, as in Apia in 2011, it needs no run.
  const isWholeDay = from.equals(day.toPlainDateTime());
  if (isWholeDay || Temporal.PlainDate.compare(day, end.toPlainDate()) >= 0) return null;
  const endMs = end.epochMilliseconds;
  const isPlannedFor = (timezone: string, fromMs: number, beforeMs: number) => {
    const planned = parseCron({ cron: schedule.cron, timezone }).nextRun(new Date(fromMs - 1000));
    return planned !== null && planned.getTime() < beforeMs;
  };
  // In UTC, where no time is skipped, for the times that the clock of the zone should have shown.
  const utcMs = (wall: Temporal.PlainDateTime) => wall.toZonedDateTime('UTC').epochMilliseconds;
  if (!isPlannedFor('UTC', utcMs(from), utcMs(day.add({ days: 1 }).toPlainDateTime()))) return null;
  // Then the next day begins with a run.
  if (isPlannedFor(schedule.timezone, endMs, endMs + 1)) return null;
  return { plannedAtMs: endMs, asOf: day.toString() };
}
