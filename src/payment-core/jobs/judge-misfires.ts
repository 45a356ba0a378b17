import { lastFireUntil, nextFireWithin, type JobPeriod } from './job-times.js';

/** Which missed fires are made: all, only the newest, or none. */
export type MisfirePolicy = 'all' | 'latest' | 'none';

/** A fire that is later than this was missed. Two calls of `runDue` a minute apart never miss a fire. */
const misfireAfterMs = 90_000;

/** The count stops here and means "or more": counting every second of a gap of days would take too long. */
const mostCounted = 1000;

/** A gap of skipped fires, as planned moments in epoch milliseconds, both ends included. */
export interface Skip {
  readonly fires: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What to do with the fires of a job that are due, by its misfire policy (catalogue 2.24). */
export interface DueFires {
  /** The fire to make now; undefined when no fire is due any longer. */
  readonly fireAtMs: number | undefined;
  readonly skip: Skip | undefined;
  /** The next fire in the future, when no fire is made now. */
  readonly nextMs: number | undefined;
}

interface Schedule extends JobPeriod {
  readonly expression: string;
}

/**
 * Decides which of the due fires, starting with the planned one, is made now. Pure.
 *
 * @param plannedMs the oldest fire that was neither made nor skipped; not later than `nowMs`
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

/** The fires from one planned moment up to another, which is excluded. */
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
