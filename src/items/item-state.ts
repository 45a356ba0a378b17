import type { ItemStatus, StandingKind } from '../findings/open-item.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import { standingKinds } from '../findings/open-item.js';
import type { CalendarDate } from '../values/calendar-date.js';

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
 * The state of an item (design 4.9). `src/items/item-rows.ts` says the same in SQL; a property test compares the two.
 *
 * - The latest accept, wait, link, unlink, supersede or keep-both that was not taken back stands.
 * - An accept or wait holds only for the facts that it saw. If they return, it holds again.
 * - A wait ends on its date: on that day the item is open.
 * - An accept that needs a second person counts once it is approved.
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

/** Whether decisions of the kind replace each other. */
export function isStanding(kind: DecisionKind): kind is StandingKind {
  return standingKinds.some((each) => each === kind);
}
