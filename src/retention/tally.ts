import type { CalendarDate } from '../values/calendar-date.js';
import { keptReasons, type RetentionJudgement, type KeptReason } from './judge.js';
import type { RetainedKind } from './limits.js';

/** How much of something there is, and from which days. */
export interface Sum {
  readonly count: number;
  readonly bytes: number;
  /** Null if there is none. */
  readonly oldest: CalendarDate | null;
  readonly newest: CalendarDate | null;
}

const noSum: Sum = { count: 0, bytes: 0, oldest: null, newest: null };

/** What is removed of a kind, and what is old enough and stays. */
export interface KindSums {
  readonly kind: RetainedKind;
  /** The first day that stays by the policy; null if there is no policy. */
  readonly before: CalendarDate | null;
  readonly removed: Sum;
  readonly kept: readonly (Sum & { readonly reason: KeptReason })[];
}

/** One thing, or several of one day. */
export interface Counted {
  readonly day: CalendarDate;
  readonly count?: number;
  readonly bytes: number;
}

/** Adds up what was judged, by judgement. */
export class Tally {
  readonly #kind: RetainedKind;
  readonly #before: CalendarDate | null;
  readonly #sums = new Map<RetentionJudgement, Sum>();

  constructor(kind: RetainedKind, before: CalendarDate | null) {
    this.#kind = kind;
    this.#before = before;
  }

  add(judgement: RetentionJudgement, { day, count = 1, bytes }: Counted): void {
    if (judgement === 'young' || count === 0) return;
    const sum = this.#sums.get(judgement) ?? noSum;
    this.#sums.set(judgement, {
      count: sum.count + count,
      bytes: sum.bytes + bytes,
      oldest: sum.oldest === null || day < sum.oldest ? day : sum.oldest,
      newest: sum.newest === null || day > sum.newest ? day : sum.newest,
    });
  }

  sums(): KindSums {
    // Object.keys returns `string[]`, but these are exactly the keys of the literal.
    const reasons = Object.keys(keptReasons) as KeptReason[];
    return {
      kind: this.#kind,
      before: this.#before,
      removed: this.#sums.get('remove') ?? noSum,
      kept: reasons.flatMap((reason) => {
        const sum = this.#sums.get(reason);
        return sum === undefined ? [] : [{ reason, ...sum }];
      }),
    };
  }
}
