import { Cron } from 'croner';
import type { CalendarDate } from '../../values/calendar-date.js';

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

/** The expression of a schedule in its time zone, or in another one. */
export function parseCron({ cron, timezone }: Pick<Schedule, 'cron' | 'timezone'>): Cron {
  return new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
}
