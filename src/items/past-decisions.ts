import type { Fragment, Reader } from '../db/client.js';
import { isStanding } from '../findings/open-item.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import type { PaymentKey } from '../values/ids.js';

/** A decision of an item's history. */
export interface PastDecision {
  readonly item: string;
  readonly number: bigint;
  readonly kind: DecisionKind;
  readonly until: string | null;
  readonly linkTo: string | null;
  /** The key of that payment. */
  readonly linkKey: PaymentKey | null;
  readonly assignee: string | null;
  readonly reason: string | null;
  readonly note: string | null;
  readonly needsApproval: boolean;
  readonly refersTo: bigint | null;
  readonly basis: string;
  readonly author: string;
  readonly decidedOn: string;
}

/** Every decision of each of the items, in the order in which they were made. */
export async function readHistories(
  sql: Reader,
  items: readonly string[],
): Promise<Map<string, PastDecision[]>> {
  const rows = await sql<PastDecision[]>`
    select ${pastDecisionColumns(sql)}
    from decisions d left join payments p on p.key = d.payment_key
    where d.item = any (string_to_array(${items.join(',')}, ','))
    order by d.number`;
  const histories = new Map<string, PastDecision[]>();
  for (const row of rows) {
    const history = histories.get(row.item) ?? [];
    history.push(row);
    histories.set(row.item, history);
  }
  return histories;
}

/** The columns of a `PastDecision` over `d` (decisions) and `p` (its payment). */
export function pastDecisionColumns(sql: Reader): Fragment {
  return sql`d.item, d.number, d.kind::text, d.until::text as until, p.id as "linkTo",
      d.payment_key as "linkKey", d.assignee, d.reason, d.note, d.needs_approval as "needsApproval",
      d.refers_to as "refersTo", d.basis, d.author, d.decided_on::text as "decidedOn"`;
}

/** The decisions up to a number that were not taken back by then. */
export function activeUpTo(history: readonly PastDecision[], upTo: bigint): readonly PastDecision[] {
  const known = history.filter(({ number }) => number <= upTo);
  const undone = new Set(known.filter(({ kind }) => kind === 'undo').map(({ refersTo }) => refersTo));
  return known.filter(({ number, kind }) => kind !== 'undo' && !undone.has(number));
}

/**
 * The decision that stands again once decision `number`, the latest one that was not taken back, is taken back. An undo
 * takes back the latest first, so no later one concerns what was decided before it.
 */
export function standingBefore(history: readonly PastDecision[], number: bigint): PastDecision | undefined {
  return activeUpTo(history, number - 1n)
    .filter(({ kind }) => isStanding(kind))
    .at(-1);
}
