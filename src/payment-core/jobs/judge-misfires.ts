import { lastFireUntil, nextFireWithin, type JobPeriod } from './job-times.js';

/** What happens to fires that were missed: all are made, only the newest one, or none. */
export type MisfirePolicy = 'all' | 'latest' | 'none';

/** A fire that is later than this is a missed one; two calls of `runDue` a minute apart never miss one. */
export const misfireAfterMs = 90_000;

/** Counting a gap of days by the second would take longer than the gap is worth: this stands for "or more". */
export const mostCounted = 1000;

/** A gap of fires that are left out, as planned moments in epoch milliseconds, both ends included. */
export interface Skip {
  readonly fires: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface DueFires {
  /** The fire to be made now; undefined when there is none any more. */
  readonly fireAtMs: number | undefined;
  readonly skip: Skip | undefined;
  /** The next fire that is not due yet, when nothing is to be made now. */
  readonly nextMs: number | undefined;
}

interface Schedule extends JobPeriod {
  readonly expression: string;
}

/**
 * Which of the fires that are due, from the planned one on, is made now. Pure.
 *
 * @param plannedMs the oldest fire that was neither made nor skipped, not after `nowMs`
 */
export function judgeMisfires(
  policy: MisfirePolicy,
  schedule: Schedule,
  plannedMs: number,
  nowMs: number,
): DueFires {
  const made = { fireAtMs: plannedMs, skip: undefined, nextMs: undefined };
  if (policy === 'all') return made;
  if (policy === 'latest') {
    const until = Math.min(nowMs, schedule.endsAt ?? nowMs);
    const newest = lastFireUntil(schedule.expression, until);
    if (newest === undefined || newest <= plannedMs) return made;
    return { fireAtMs: newest, skip: gap(schedule, plannedMs, newest), nextMs: undefined };
  }
  const oldest = nowMs - misfireAfterMs;
  if (plannedMs >= oldest) return made;
  const next = nextFireWithin(schedule.expression, schedule, oldest - 1);
  const skip = gap(schedule, plannedMs, next ?? nowMs + 1);
  return next !== undefined && next <= nowMs
    ? { fireAtMs: next, skip, nextMs: undefined }
    : { fireAtMs: undefined, skip, nextMs: next };
}

/** The fires from one planned moment up to another one that is not among them. */
function gap(schedule: Schedule, fromMs: number, beforeMs: number): Skip {
  let fires = 1;
  let next = nextFireWithin(schedule.expression, schedule, fromMs);
  while (next !== undefined && next < beforeMs && fires < mostCounted) {
    fires += 1;
    next = nextFireWithin(schedule.expression, schedule, next);
  }
  return {
    fires,
    fromMs,
    toMs: Math.max(fromMs, lastFireUntil(schedule.expression, beforeMs - 1) ?? fromMs),
  };
}
