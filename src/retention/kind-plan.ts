import type { Tx } from '../db/client.js';
import { startOfDay, type CalendarDate } from '../values/calendar-date.js';
import type { FileState } from './file-states.js';
import type { RetentionLimits } from './limits.js';
import type { KindSums, Tally } from './tally.js';

/** What the plan of every kind is made from. */
export interface PlanInput {
  readonly limits: RetentionLimits;
  readonly files: readonly FileState[];
  readonly dataDirectory: string;
  /** The permission bits of report files. */
  readonly reportFileMode: number;
  /** The places that reports are delivered to, by name. */
  readonly deliverTo: readonly string[];
  readonly timezone: string;
  /** The moment of the purge as an ISO text. */
  readonly now: string;
}

/** What a purge does about one kind of data. */
export interface KindPlan {
  readonly sums: KindSums;
  /**
   * Removes it from the database, or marks it as removed there. Called within the one transaction of the purge.
   */
  readonly apply: (tx: Tx) => Promise<void>;
  /** Removes the files that the database no longer needs, after that transaction. */
  readonly removeFiles?: (stopIfInterrupted: () => void) => Promise<void>;
}

/** The plan of a kind without a policy: nothing of it is removed. */
export const nothingGoes = (tally: Tally): KindPlan => ({ sums: tally.sums(), apply: async () => {} });

/** The first moment of a day as an ISO text. */
export const momentOf = (day: CalendarDate, timezone: string): string =>
  new Date(startOfDay(day, timezone)).toISOString();

/** The day before which everything of a kind goes that nothing keeps: also outside of the look-back. */
export function removedBefore({ lookBackFrom }: RetentionLimits, before: CalendarDate): CalendarDate {
  return before < lookBackFrom ? before : lookBackFrom;
}
