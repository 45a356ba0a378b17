import type { Reader, Tx } from '../db/client.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import { decidableColumns, selectDecidables, type Decidable } from './decidable.js';
import { inBatches, rowsAtOnce, type ReadInBatches } from './in-batches.js';
import { prepareView, type ItemView } from './item-rows.js';
import { matches, selectItemIds, type ItemFilter } from './list-items.js';

/*
 * A decision by filter may be about everything that is open. Its items are listed in a temporary table, all as they are
 * at one moment, and are read from there in batches as often as needed: in memory, each of them took 2.5 kB. The table
 * stays when the transaction is committed, because the decisions are listed then.
 */

/** Lists in `wanted_items` the ids of the items that a filter has now. */
export async function listFilteredIds(tx: Tx, view: ItemView, filter: ItemFilter): Promise<void> {
  const ids = selectItemIds(tx, await prepareView(tx, view), filter);
  await tx`create temporary table wanted_items on commit drop as ${ids}`;
  await tx`analyze wanted_items`;
}

/** Gives ids, in batches. It may begin again, and then gives all of them once more. */
export type GiveIds = (take: (ids: AsyncIterable<readonly string[]>) => Promise<void>) => Promise<void>;

/** Lists these ids in `wanted_items`. */
export async function listGivenIds(tx: Tx, giveIds: GiveIds): Promise<void> {
  await tx`create temporary table wanted_items (id text primary key) on commit drop`;
  await giveIds(async (ids) => {
    await tx`truncate wanted_items`;
    for await (const batch of ids)
      await tx`insert into wanted_items select unnest(string_to_array(${batch.join(',')}, ','))`;
  });
  await tx`analyze wanted_items`;
}

/**
 * The items of `wanted_items` to which a decision of this kind applies, in the order of their ids. Among many items,
 * approve applies to those that wait for it and undo to those with a decision.
 *
 * @param filter leaves out those that no longer fit it, whatever their pattern: while a page reads its list again, it
 *   shows the former one, and somebody may have decided about what that list still has
 */
export async function listItemsToDecide(
  tx: Tx,
  view: ItemView,
  kind: DecisionKind,
  filter: ItemFilter | null,
): Promise<ReadInBatches<Decidable>> {
  const wanted = tx`d.id in (select w.id from wanted_items w)`;
  const fits = filter === null ? tx`true` : matches(tx, filter);
  const rows = selectDecidables(tx, await prepareView(tx, view), wanted, fits);
  const applies =
    kind === 'approve' ? tx`i.pending` : kind === 'undo' ? tx`i.undoable is not null` : tx`true`;
  await tx`
    create temporary table items_to_decide as
    select row_number() over (order by i.item collate "C")::int as place, i.* from (${rows}) i where ${applies}`;
  await tx`create unique index on items_to_decide (place)`;
  await tx`analyze items_to_decide`;
  return inBatches((sql, from) => readPlaces(sql, from));
}

/** @param from how many items were read before */
function readPlaces(sql: Reader, from: number): PromiseLike<Decidable[]> {
  return sql<Decidable[]>`
    select ${decidableColumns(sql)} from items_to_decide i
    where i.place > ${from} and i.place <= ${from + rowsAtOnce} order by i.place`;
}
