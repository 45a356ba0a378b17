import type { Sql, Tx } from '../db/client.js';
import { inOwnTransaction } from '../db/transaction.js';
import { ReconError } from '../errors.js';
import { decide, firstDecisions, type Decided } from '../items/decide.js';
import type { Deciding } from '../items/decision-request.js';
import type { DecisionTarget } from '../items/decision-target.js';
import { filterTextOf } from '../items/filter-text.js';
import { itemHistory, type HistoryEntry } from '../items/item-history.js';
import type { ItemView } from '../items/item-rows.js';
import type { GiveIds } from '../items/items-to-decide.js';
import { readItemsOf, type ItemFilter } from '../items/list-items.js';
import { listedItem, type ListedItem } from '../items/listed-item.js';
import type { Pattern } from '../items/patterns.js';
import {
  readFacets,
  readIds,
  readPage,
  readPatterns,
  readTotals,
  type Facets,
  type FilterTotals,
  type PageRequest,
} from '../items/read-sorted-items.js';
import type { ExplainSettings } from '../matching/explain/explanation.js';
import { explainRecord } from '../matching/explain/explain-record.js';
import { formatExplanation } from '../matching/explain/format-explanation.js';
import type { CurrentList, ListState } from './current-list.js';
import { placeText } from './page-place.js';
import type { SentDecision } from './read-request.js';

/** What the operations of the page work with. */
export interface ReviewContext {
  readonly sql: Sql;
  /** The items whose finding holds, and those that are resolved. */
  readonly lists: Readonly<Record<'unresolved' | 'resolved', CurrentList>>;
  readonly viewOf: () => ItemView;
  readonly explainSettings: ExplainSettings;
  /** Who decides; null on a page that only shows. */
  readonly author: string | null;
  readonly fourEyesAbove: ReadonlyMap<string, bigint>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** A part of the list, as the page of the browser reads it. */
export interface ListedPage {
  readonly items: readonly ListedItem[];
  /** Gives the next page; null on the last. */
  readonly next: string | null;
  readonly list: ListState;
}

/** One page of items: the order from the sorted items, everything else from the stored tables as they are now. */
export async function listPage(context: ReviewContext, request: PageRequest): Promise<ListedPage> {
  const list = listOf(context, request.filter);
  const { entries, more } = await list.read((session) => readPage(session, request));
  const items = await readItemsOf(
    context.sql,
    context.viewOf(),
    entries.map(({ id }) => id),
  );
  const byId = new Map(items.map((item) => [item.discrepancyId, item]));
  const last = entries.at(-1);
  return {
    items: entries.flatMap(({ id, suggestedLink, pattern }) => {
      const item = byId.get(id);
      return item === undefined ? [] : [listedItem({ ...item, suggestedLink, pattern })];
    }),
    next: more && last !== undefined ? placeText(last) : null,
    list: list.state(),
  };
}

/** How many items fit a filter, and their money at risk. */
export function totalsOf(context: ReviewContext, filter: ItemFilter): Promise<FilterTotals> {
  return listOf(context, filter).read((session) => readTotals(session, filter));
}

/** Who decides, and what can be chosen in filters, which a decision may change. */
export interface Overview {
  readonly author: string | null;
  readonly asOf: string;
  readonly facets: Facets;
  readonly list: ListState;
}

/** What the page shows above the list. */
export async function overviewOf({ lists, author, viewOf }: ReviewContext): Promise<Overview> {
  const facets = await lists.unresolved.read(readFacets);
  return { author, asOf: viewOf().asOf, facets, list: lists.unresolved.state() };
}

/** The patterns of the items that are open, and the state of the list they were read from. */
export async function patternsOf({
  lists,
}: ReviewContext): Promise<{ patterns: readonly Pattern[]; list: ListState }> {
  const found = await lists.unresolved.read(readPatterns);
  return { patterns: found, list: lists.unresolved.state() };
}

/** An item with everything that is known about it. */
export interface ItemDetail {
  readonly item: ListedItem;
  readonly history: readonly HistoryEntry[];
  /** What `recon explain` prints. */
  readonly explanation: string;
}

/** @throws ReconError ITEM_NOT_FOUND */
export async function itemDetail(
  context: Pick<ReviewContext, 'sql' | 'viewOf' | 'explainSettings'>,
  id: string,
): Promise<ItemDetail> {
  return inOwnTransaction(
    context.sql,
    async (tx) => {
      const view = context.viewOf();
      const [item] = await readItemsOf(tx, view, [id]);
      if (item === undefined) throw new ReconError('ITEM_NOT_FOUND', `No item has the DiscrepancyId ${id}.`);
      const explanation = await explanationOf(tx, id, context.explainSettings);
      return { item: listedItem(item), history: await itemHistory(tx, id, view.timezone), explanation };
    },
    'isolation level repeatable read read only',
  );
}

/** An accepted item stays when its record is removed with its month; the explanation is then the reason. */
async function explanationOf(tx: Tx, id: string, settings: ExplainSettings): Promise<string> {
  try {
    return formatExplanation(await explainRecord(tx, id, settings)).trimEnd();
  } catch (thrown) {
    if (thrown instanceof ReconError && thrown.code === 'RECORDS_RETIRED') return thrown.message;
    throw thrown;
  }
}

/** How many of the decisions of a bulk are named. */
const namedDecisions = 20;

/** What was decided, with the first decisions only. */
export interface DecidedOnPage extends Decided {
  /** How many accepts, of all decisions, wait for a second person. */
  readonly pending: number;
}

/**
 * @throws ReconError of `decide`; DECISION_REFUSED on a page that only shows, and for a filter that restricts nothing
 */
export async function decideOnPage(context: ReviewContext, sent: SentDecision): Promise<DecidedOnPage> {
  const { author, sql, fourEyesAbove, clock, viewOf } = context;
  if (author === null) throw new ReconError('DECISION_REFUSED', 'This page was started with --read-only.');
  const deciding: Deciding = { ...viewOf(), author, now: clock(), fourEyesAbove, dryRun: sent.dryRun };
  const wanted = { target: targetOf(context, sent), request: sent.request, deciding };
  return decide(sql, wanted, async ({ decided, sums }) => ({
    ...decided,
    decisions: await firstDecisions(decided.decisions, namedDecisions),
    pending: sums.pending,
  }));
}

function targetOf(context: ReviewContext, { target, dryRun }: SentDecision): DecisionTarget {
  if ('seen' in target) return target;
  const { filter, basis } = target;
  const filterText = filterTextOf(filter);
  if (filterText === '') {
    throw new ReconError('DECISION_REFUSED', 'Nothing was decided: narrow the items by a filter first.');
  }
  if (!dryRun && basis === null) {
    throw new ReconError(
      'DECISION_REFUSED',
      'Nothing was decided: a decision by filter needs its preview first.',
    );
  }
  const giveIds: GiveIds = (take) =>
    listOf(context, filter).read((session) => take(readIds(session, filter)));
  return { giveIds, shownFilter: filter, filterText, basis: dryRun ? null : basis };
}

function listOf({ lists }: ReviewContext, { status }: ItemFilter): CurrentList {
  return status === 'RESOLVED' ? lists.resolved : lists.unresolved;
}
