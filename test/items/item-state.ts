import { isStanding, type ItemStatus } from '../../src/findings/open-item.js';
import type { DecisionKind } from '../../src/values/decision-kinds.js';
import type { CalendarDate } from '../../src/values/calendar-date.js';

/** A decision as far as the state of its item depends on it. */
export interface StateDecision {
  readonly number: bigint;
  readonly kind: DecisionKind;
  readonly until: CalendarDate | null;
  readonly needsApproval: boolean;
  /** Of `approve` and `undo`. */
  readonly refersTo: bigint | null;
  readonly basis: string;
}

/** A finding as far as the state of its item depends on it. */
export interface StateFinding {
  readonly resolved: boolean;
  /** The hash of its facts as they are now. */
  readonly basis: string;
}

/** The state of an item as of a day (design 4.9). */
export interface ItemState {
  readonly status: ItemStatus;
  readonly lapsed: boolean;
  readonly pending: boolean;
  /** The number of the decision that stands, even if it lapsed or its date has come. */
  readonly standing: bigint | null;
}

/**
 * The state of an item (design 4.9), written plainly. `src/items/item-rows.ts` has the rules, and says the same in SQL.
 *
 * @param decisions all decisions of the item, in the order in which they were made
 */
export function itemState(
  finding: StateFinding,
  decisions: readonly StateDecision[],
  asOf: CalendarDate,
): ItemState {
  const undone = new Set(decisions.filter(({ kind }) => kind === 'undo').map(({ refersTo }) => refersTo));
  const active = decisions.filter(({ number, kind }) => kind !== 'undo' && !undone.has(number));
  const standing = active.filter(({ kind }) => isStanding(kind)).at(-1);
  const state = (status: ItemStatus, marks: { lapsed?: boolean; pending?: boolean } = {}): ItemState => ({
    status,
    lapsed: marks.lapsed ?? false,
    pending: marks.pending ?? false,
    standing: standing?.number ?? null,
  });
  if (finding.resolved) return state('RESOLVED');
  if (standing === undefined) return state('OPEN');
  const sameFacts = standing.basis === finding.basis;
  if (standing.kind === 'wait') {
    const isOver = standing.until === null || standing.until <= asOf;
    if (isOver) return state('OPEN');
    return sameFacts ? state('WAITING') : state('OPEN', { lapsed: true });
  }
  if (standing.kind !== 'accept') return state('OPEN');
  if (!sameFacts) return state('OPEN', { lapsed: true });
  const approved = active.some(({ kind, refersTo }) => kind === 'approve' && refersTo === standing.number);
  return standing.needsApproval && !approved ? state('OPEN', { pending: true }) : state('ACCEPTED');
}
