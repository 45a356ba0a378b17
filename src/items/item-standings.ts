import type { ItemStatus, StandingKind } from '../findings/open-item.js';
import type { Reader } from './fragment.js';
import { itemRowsOf, withShards, type ItemView } from './item-rows.js';

/** The state of an item, and the decision that it follows from, or that lapsed. */
export interface ItemStanding {
  readonly status: ItemStatus;
  /** The facts changed after the decision, which no longer counts. */
  readonly lapsed: boolean;
  /** The accept waits for a second person. */
  readonly pending: boolean;
  readonly decision: StandingKind | null;
  readonly until: string | null;
  readonly reason: string | null;
  readonly decidedBy: string | null;
  readonly decidedOn: string | null;
}

/** The states of the items of these ids. */
export async function readItemStandings(
  sql: Reader,
  view: ItemView,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ItemStanding>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<(ItemStanding & { id: string })[]>`
    select i.id, i.status, i.lapsed, i.pending, i.decision, i.until::text as until, i.reason,
      i.decided_by as "decidedBy", i.decided_on::text as "decidedOn"
    from (${itemRowsOf(sql, await withShards(sql, view), ids)}) i`;
  return new Map(rows.map(({ id, ...standing }) => [id, standing]));
}
