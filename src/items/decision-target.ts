import type { Tx } from '../db/client.js';
import { ReconError } from '../errors.js';
import { listed } from '../spreadsheet/sheet-problems.js';
import { conflictOf, readBasis } from './conflict.js';
import { readDecidables, type Decidable } from './decidable.js';
import type { Deciding, DecisionRequest } from './decision-request.js';
import { findItem } from './find-items.js';
import { heldRows, type ReadInBatches } from './in-batches.js';
import { listFilteredIds, listGivenIds, listItemsToDecide, type GiveIds } from './items-to-decide.js';
import type { ItemFilter } from './list-items.js';
import { readHistories } from './past-decisions.js';

/** The items of a decision: named one by one, all of a filter, or those that a person saw on a page. */
export type DecisionTarget =
  | { readonly named: readonly string[] }
  | { readonly filter: ItemFilter; readonly filterText: string }
  | { readonly seen: readonly SeenItem[] }
  | SeenList;

/** An item as a page showed it. */
export interface SeenItem {
  readonly id: string;
  /** Its `Basis`: the decision is refused if it changed since. */
  readonly basis: string;
}

/** The items of a filter that a page selected. */
export interface SeenList {
  readonly giveIds: GiveIds;
  readonly shownFilter: ItemFilter;
  readonly filterText: string;
  /** The basis that the dry run returned: the decision is refused if it changed since. Null in the dry run. */
  readonly basis: string | null;
}

/** Lists the ids of a target that a page selected; to be called before the lock. */
export async function listTarget(tx: Tx, target: DecisionTarget): Promise<void> {
  if ('giveIds' in target) await listGivenIds(tx, target.giveIds);
}

/**
 * The items that a decision is about, as they are now.
 *
 * @throws ReconError ITEM_NOT_FOUND; DECISION_CONFLICT if an item is no longer as the page showed it
 */
export async function findTarget(
  tx: Tx,
  target: DecisionTarget,
  request: DecisionRequest,
  deciding: Deciding,
): Promise<ReadInBatches<Decidable>> {
  if ('named' in target) return heldRows(await findNamed(tx, target.named, request, deciding));
  if ('seen' in target) return heldRows(await findSeen(tx, target.seen, deciding));
  if ('filter' in target) await listFilteredIds(tx, deciding, target.filter);
  return listItemsToDecide(tx, deciding, request.kind, 'giveIds' in target ? target.shownFilter : null);
}

async function findNamed(
  tx: Tx,
  named: readonly string[],
  { kind }: DecisionRequest,
  deciding: Deciding,
): Promise<Decidable[]> {
  const items: Decidable[] = [];
  for (const name of named) items.push(await findItem(tx, deciding, name, kind));
  return [...new Map(items.map((item) => [item.item, item])).values()];
}

/** @throws ReconError DECISION_CONFLICT that names the items that others decided meanwhile, ITEM_NOT_FOUND */
async function findSeen(tx: Tx, seen: readonly SeenItem[], deciding: Deciding): Promise<Decidable[]> {
  const items = await readByIds(
    tx,
    seen.map(({ id }) => id),
    deciding,
  );
  const histories = await readHistories(
    tx,
    items.map(({ item }) => item),
  );
  const bases = new Map(seen.map(({ id, basis }) => [id, readBasis(basis)]));
  const conflicts = items.flatMap((item) => {
    const basis = bases.get(item.item);
    const conflict =
      basis === undefined ? null : conflictOf(item, histories.get(item.item) ?? [], basis, 'of the page');
    return conflict === null ? [] : [conflict];
  });
  if (conflicts.length > 0)
    throw new ReconError('DECISION_CONFLICT', listed('Nothing was decided', conflicts));
  const missing = seen.find(({ id }) => !items.some(({ item }) => item === id));
  if (missing !== undefined)
    throw new ReconError('ITEM_NOT_FOUND', `No item has the DiscrepancyId ${missing.id}.`);
  return items;
}

/** @throws ReconError DECISION_CONFLICT if what a page selected by a filter is no longer as its preview showed it */
export async function refuseIfChanged(tx: Tx, target: DecisionTarget, basis: string): Promise<void> {
  if (!('giveIds' in target) || target.basis === null || target.basis === basis) return;
  const [last] = await tx<{ kind: string; author: string; on: string }[]>`
    select kind::text, author, decided_on::text as on from decisions
    where item in (select id from wanted_items) order by number desc limit 1`;
  const latest =
    last === undefined ? '' : ` The latest decision is ${last.kind} by ${last.author} on ${last.on}.`;
  throw new ReconError(
    'DECISION_CONFLICT',
    `Nothing was decided: the items of the filter changed after the preview.${latest}`,
  );
}

function readByIds(tx: Tx, ids: readonly string[], deciding: Deciding): Promise<Decidable[]> {
  const listed = tx`any (string_to_array(${ids.join(',')}, ','))`;
  return readDecidables(tx, deciding, tx`d.id = ${listed}`);
}
