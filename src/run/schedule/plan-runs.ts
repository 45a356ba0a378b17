import { parseCron, type PlannedRun, type Schedule } from './planned-run.js';
import { runSkippedAtMidnight } from './run-skipped-at-midnight.js';
import { addDays, dateInZone, startOfDay } from '../../values/calendar-date.js';

/**
 * The runs that are due at `nowMs`: for every day of the zone on which a run was planned after `doneMs`, the last
 * one of that day, oldest day first, none older than the catch-up allows. Due runs are computed instead of fired,
 * because a timer misses the time when the machine was off, and node-cron skips the day on which the clock is put
 * forward. A planned time that falls into that gap is due when the gap ends, also at midnight; a time that the clock
 * shows twice is due once. However often the machine's clock is changed, a day whose last planned run is completed
 * stays done. Pure.
 *
 * @param doneMs the planned time of the last completed run
 */
export function runsDue(schedule: Schedule, doneMs: number, nowMs: number): PlannedRun[] {
  const { timezone } = schedule;
  const oldest = addDays(dateInZone(nowMs, timezone), -schedule.catchUpDays);
  const due: PlannedRun[] = [];
  let before = Infinity;
  for (;;) {
    const planned = latestRun(schedule, doneMs, nowMs, before);
    if (planned === null || dateInZone(planned.plannedAtMs, timezone) < oldest) break;
    due.push(planned);
    before = startOfDay(planned.asOf, timezone);
  }
  return due.reverse();
}

/** The latest planned run that is due: before one moment and after another; null if there is none. */
function latestRun(schedule: Schedule, doneMs: number, nowMs: number, beforeMs: number): PlannedRun | null {
  // Croner looks strictly before a whole second.
  const before = Math.min(beforeMs, Math.floor(nowMs / 1000) * 1000 + 1000);
  const [planned] = parseCron(schedule).previousRuns(1, new Date(before));
  const latest = planned === undefined || planned.getTime() <= doneMs ? null : runAt(schedule, planned);
  // Where one day ends with a gap, its run is planned for the moment at which the next day begins.
  const upToMs = Math.min(beforeMs, nowMs);
  return runSkippedAtMidnight(schedule, latest?.plannedAtMs ?? doneMs, upToMs) ?? latest;
}

/** The next planned run after this moment; null when no further one is planned. Pure. */
export function nextRun(schedule: Schedule, nowMs: number): PlannedRun | null {
  const planned = parseCron(schedule).nextRun(new Date(nowMs));
  if (planned === null) return null;
  return runSkippedAtMidnight(schedule, nowMs, planned.getTime() - 1) ?? runAt(schedule, planned);
}

function runAt({ timezone }: Schedule, planned: Date): PlannedRun {
  return { plannedAtMs: planned.getTime(), asOf: dateInZone(planned.getTime(), timezone) };
}

/** Whether the expression has seconds: then the scheduler must check every second. */
export function hasSeconds({ cron }: Schedule): boolean {
  return cron.trim().split(/\s+/).length > 5;
}
