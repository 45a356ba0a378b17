import type { Tx } from '../db/client.js';
import { startOfDay, type CalendarDate } from '../values/calendar-date.js';
import type { FileState } from './file-states.js';
import { judge, type Candidate } from './judge.js';
import type { RetainedKind, RetentionLimits } from './limits.js';
import { Tally, type Counted, type KindSums } from './tally.js';

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

/** The rows of a kind, as far as they are old. */
interface OldRows {
  /** Those before a moment, by day and by what keeps them; `last` is the moment of `remove`. */
  readonly list: (before: string, last: string) => PromiseLike<readonly (Candidate & Counted)[]>;
  /** Removes those before a moment that nothing keeps. */
  readonly remove: (tx: Tx, last: string) => PromiseLike<unknown>;
}

/** The plan of a kind of data that is rows of the database and nothing else. */
export async function planRows(
  kind: RetainedKind,
  { limits, timezone }: PlanInput,
  { list, remove }: OldRows,
): Promise<KindPlan> {
  const before = limits.before[kind];
  const tally = new Tally(kind, before);
  if (before === null) return nothingGoes(tally);
  const last = momentOf(removedBefore(limits, before), timezone);
  for (const group of await list(momentOf(before, timezone), last)) {
    tally.add(judge(kind, group, limits), group);
  }
  return {
    sums: tally.sums(),
    apply: async (tx) => {
      await remove(tx, last);
    },
  };
}

/** The first moment of a day as an ISO text. */
export const momentOf = (day: CalendarDate, timezone: string): string =>
  new Date(startOfDay(day, timezone)).toISOString();

/** The day before which everything of a kind is removed that nothing keeps: also outside of the look-back. */
export function removedBefore({ lookBackFrom }: RetentionLimits, before: CalendarDate): CalendarDate {
  return before < lookBackFrom ? before : lookBackFrom;
}
