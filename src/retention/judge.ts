import type { CalendarDate } from '../values/calendar-date.js';
import type { RetainedKind, RetentionLimits } from './limits.js';

/** Why something stays although it is older than its policy allows, with the words for people. */
export const keptReasons = {
  waiting: 'it waits to be processed, reported, corrected or delivered',
  'open-item': 'an item about it is open or waiting',
  'in-use': 'a later file refers to its records',
  'has-payment': 'a payment was made with it',
  'has-job': 'an active job pays with it',
  newest: 'it is the newest',
  'on-shards': 'records are not removed from shards',
  'look-back': 'it is inside the look-back (lookbackDays and settlementDueDays)',
} as const satisfies Record<string, string>;
/** Why something stays although it is old enough to be removed; `keptReasons` explains each. */
export type KeptReason = keyof typeof keptReasons;

/** What retention may remove as one: a file, a report, a month of records, the events or checkouts of a day. */
export interface Candidate {
  /** The day from which its age counts. */
  readonly day: CalendarDate;
  /** The last day that it is about, if that is a later one: a SettlementDate. */
  readonly lastDay?: CalendarDate | null;
  readonly isWaiting?: boolean;
  readonly hasOpenItem?: boolean;
  readonly isInUse?: boolean;
  readonly hasPayment?: boolean;
  readonly hasJob?: boolean;
  readonly isNewest?: boolean;
  readonly isOnShards?: boolean;
}

/** `young`: the policy does not reach it. */
export type RetentionJudgement = 'remove' | 'young' | KeptReason;

/**
 * Whether something is removed, and if not, why (design 11). Pure. A reason that a person can act on comes before one
 * that only time ends.
 */
export function judge(kind: RetainedKind, candidate: Candidate, limits: RetentionLimits): RetentionJudgement {
  const before = limits.before[kind];
  if (before === null || candidate.day >= before) return 'young';
  if (candidate.isOnShards === true) return 'on-shards';
  if (candidate.isWaiting === true) return 'waiting';
  if (candidate.hasOpenItem === true) return 'open-item';
  if (candidate.isInUse === true) return 'in-use';
  if (candidate.hasPayment === true) return 'has-payment';
  if (candidate.hasJob === true) return 'has-job';
  if (candidate.isNewest === true) return 'newest';
  return latest(candidate) >= limits.lookBackFrom ? 'look-back' : 'remove';
}

function latest({ day, lastDay }: Candidate): CalendarDate {
  return typeof lastDay === 'string' && lastDay > day ? lastDay : day;
}
