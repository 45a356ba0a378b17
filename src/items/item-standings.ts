import type { Reader } from '../db/client.js';
import type { ItemStanding } from '../findings/open-item.js';
import { itemRowsOf, prepareView, type ItemView } from './item-rows.js';

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
    from (${itemRowsOf(sql, await prepareView(sql, view), ids)}) i`;
  return new Map(rows.map(({ id, ...standing }) => [id, standing]));
}
