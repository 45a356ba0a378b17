import type { Fragment, Reader } from '../db/client.js';
import type { Decidable } from './decidable.js';
import type { PastDecision } from './sheet-as-exported.js';

/** What a decision is based on: the facts of an item, and the number of its latest decision, as a person saw them. */
export interface Basis {
  readonly facts: string;
  readonly number: bigint;
}

/** What a `Basis` looks like in a sheet or on the page. */
export const basisPattern = /^b([0-9a-f]{16})n(\d+)$/;

/** Reads a text that `basisPattern` matches. */
export function readBasis(text: string): Basis {
  const [, facts = '', number = '0'] = basisPattern.exec(text) ?? [];
  return { facts, number: BigInt(number) };
}

/**
 * Why the item is no longer as a person saw it, and so cannot be decided on that basis; null if it still is.
 *
 * @param where what showed the item, such as `of the sheet`
 */
export function conflictOf(
  item: Decidable,
  history: readonly PastDecision[],
  basis: Basis,
  where: string,
): string | null {
  const later = history.filter((past) => past.number > basis.number).at(-1);
  if (later !== undefined) {
    return `${item.name} was decided in the meantime: ${later.kind} by ${later.author} on ${later.decidedOn}.`;
  }
  return basis.facts === item.facts
    ? null
    : `${item.name} changed: its facts are not those ${where} any more.`;
}

/** Every decision of each of the items, in the order in which they were made. */
export async function readHistories(
  sql: Reader,
  items: readonly string[],
): Promise<Map<string, PastDecision[]>> {
  const rows = await sql<PastDecision[]>`
    select ${pastDecision(sql)}
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
export function pastDecision(sql: Reader): Fragment {
  return sql`d.item, d.number, d.kind::text, d.until::text as until, p.id as "linkTo",
      d.payment_key as "linkKey", d.assignee, d.reason, d.note, d.needs_approval as "needsApproval",
      d.refers_to as "refersTo", d.basis, d.author, d.decided_on::text as "decidedOn"`;
}
