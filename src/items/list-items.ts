import type { Fragment, Reader } from '../db/client.js';
import { readRowTexts } from '../db/row-texts.js';
import { itemFields, itemOfText, type TextItem } from '../findings/item-texts.js';
import type { Item, ItemStatus } from '../findings/open-item.js';
import { currentItems, unresolvedItems } from './unresolved-items.js';
import { itemRows, itemRowsOf, prepareView, type ItemView, type PreparedView } from './item-rows.js';
import { patternsOfItems } from './patterns.js';
import { plainAmount } from './plain-amount.js';
import { suggestedLinks } from './suggested-links.js';

/** Which items to list; a null value does not restrict them. */
export interface ItemFilter {
  /** Null: those to work on, open and waiting. */
  readonly status: ItemStatus | null;
  /** A lapsed item is open. */
  readonly lapsed: boolean;
  readonly assignee: string | null;
  readonly code: string | null;
  readonly severity: string | null;
  readonly account: string | null;
  readonly currency: string | null;
  /** Upper or lower case, anywhere in what names or describes the item. */
  readonly text: string | null;
  readonly pattern: string | null;
}

/** The filter without a condition: items that are open or waiting. */
export const everyOpenItem: ItemFilter = {
  status: null,
  lapsed: false,
  assignee: null,
  code: null,
  severity: null,
  account: null,
  currency: null,
  text: null,
  pattern: null,
};

/**
 * Rows of one round trip: a report of 600,000 items never holds more. What outlives two small collections waits for a
 * large one: the report of 157,000 items had a peak of 164 MB with 100 items and 400 lines of `discrepancies.csv` at a
 * time, and has 153 MB with 50 and 150, and takes no longer.
 */
const batchRows = 50;

/**
 * The items of a filter in the order of design 6: the most money at risk first, as a number and whatever the currency,
 * then the oldest, then by id. They are read in batches, so memory does not grow with their number.
 */
export async function* readItems(
  sql: Reader,
  view: ItemView,
  filter: ItemFilter = everyOpenItem,
): AsyncGenerator<TextItem[]> {
  for await (const batch of readItemTexts(sql, view, filter)) yield batch.map(itemOfText);
}

/** The items of {@link readItems} as the texts of `src/findings/item-texts.ts`. */
export async function* readItemTexts(
  sql: Reader,
  view: ItemView,
  filter: ItemFilter = everyOpenItem,
): AsyncGenerator<string[]> {
  const rows = selectItems(sql, await prepareView(sql, view), filter);
  // `chr(30)` is the mark of null.
  const values = itemFields.map((name) => sql`coalesce(i.${sql(name)}::text, chr(30))`);
  yield* readRowTexts(sql, { rows, values, order: itemOrder(sql) }, batchRows);
}

/** The first items of a filter, and how many there are. */
export async function listItems(
  sql: Reader,
  view: ItemView,
  filter: ItemFilter,
  limit: number,
): Promise<{ total: number; rows: Item[] }> {
  const items = selectItems(sql, await prepareView(sql, view), filter);
  const rows = await sql<(Item & { total: number })[]>`
    select i.*, count(*) over ()::int as total from (${items}) i
    order by ${itemOrder(sql)} limit ${Math.max(limit, 1)}`;
  // The total stands in the rows, so at least one is read.
  const wanted = rows.slice(0, limit);
  return { total: rows[0]?.total ?? 0, rows: wanted.map(({ total: _total, ...item }) => item) };
}

/** The items of these ids, in any order, without their pattern and suggested link. */
export async function readItemsOf(sql: Reader, view: ItemView, ids: readonly string[]): Promise<Item[]> {
  const rows = itemRowsOf(sql, await prepareView(sql, view), ids);
  return sql<Item[]>`
    select ${itemColumns(sql)}, null as "suggestedLink", null as pattern
    from (${rows}) i`;
}

/** A fragment that selects `id`, those of the items of a filter. */
export function selectItemIds(sql: Reader, view: PreparedView, filter: ItemFilter): Fragment {
  return sql`select i."discrepancyId" as id from (${selectItems(sql, view, filter)}) i`;
}

/** The order of items in lists and reports. */
function itemOrder(sql: Reader): Fragment {
  return sql`abs(i."atRiskMinor") desc, i."ageDays" desc, i."discrepancyId" collate "C"`;
}

function selectItems(sql: Reader, view: PreparedView, filter: ItemFilter): Fragment {
  if (filter.status === 'ACCEPTED' || filter.status === 'RESOLVED') return selectClosed(sql, view, filter);
  // The server never makes a full join a nested loop, however few items it expects. An outer condition that no null
  // passes would turn it into a left join again.
  const ofPattern =
    filter.pattern === null ? sql`` : sql`and coalesce(patterns.pattern = ${filter.pattern}, false)`;
  return sql`
    with ${unresolvedItems(sql, view)}, patterns as (${patternsOfItems(sql)}), links as (${suggestedLinks(sql, currentItems(sql))})
    select ${itemColumns(sql)}, links.other as "suggestedLink", patterns.pattern
    from (select * from unresolved i where ${matches(sql, filter)}) i
    full join patterns on patterns.cause = i.cause
    full join links on links.id = i.id
    where coalesce(i.id is not null, false) ${ofPattern}`;
}

/**
 * The items of a filter that are accepted or resolved. They are in no pattern and have no suggested link, so what is
 * open is not read for them.
 */
function selectClosed(sql: Reader, view: PreparedView, filter: ItemFilter): Fragment {
  const { status, code, severity, pattern } = filter;
  // The conditions of the indexes of findings: what is accepted may have no note yet.
  const ofStatus =
    status === 'RESOLVED'
      ? sql`d.resolved_run is not null`
      : sql`(not d.is_settled or (d.resolved_run is null and d.accepted_at_risk_minor is not null))`;
  const only = sql`${ofStatus} ${code === null ? sql`` : sql`and d.code = ${code}`}
    ${severity === null ? sql`` : sql`and d.severity = ${severity}`}`;
  const from = sql`(select * from discrepancies d where ${only} offset 0)`;
  return sql`
    select ${itemColumns(sql)}, null as "suggestedLink", null as pattern
    from (${itemRows(sql, view, { from, only, mayBeResolved: status === 'RESOLVED' })} offset 0) i
    where ${matches(sql, filter)} ${pattern === null ? sql`` : sql`and false`}`;
}

/**
 * Whether the item `i` (item rows) belongs to the filter, whatever its pattern. The states to work on are those that
 * are not closed: of a computed state the planner expects that it equals one of two values in one of 100 items, but
 * differs from two in nearly all.
 */
export function matches(sql: Reader, filter: ItemFilter): Fragment {
  const { status, lapsed, assignee, code, severity, account, currency, text } = filter;
  return sql`${status === null ? sql`i.status not in ('ACCEPTED', 'RESOLVED')` : sql`i.status = ${status}`}
    ${lapsed ? sql`and i.lapsed` : sql``}
    ${assignee === null ? sql`` : sql`and coalesce(i.assignee, '') = ${assignee}`}
    ${code === null ? sql`` : sql`and i.code = ${code}`}
    ${severity === null ? sql`` : sql`and i.severity = ${severity}`}
    ${account === null ? sql`` : sql`and i.merchant_account_id = ${account}`}
    ${currency === null ? sql`` : sql`and i.currency = ${currency}`}
    ${text === null ? sql`` : sql`and ${holdsText(sql, searchedText(sql), text)}`}`;
}

/** Whether a text of `searchedText` holds what a person searches, an amount in whichever notation. */
export function holdsText(sql: Reader, searched: Fragment, text: string): Fragment {
  const amount = plainAmount(text);
  return amount === text
    ? sql`strpos(${searched}, lower(${text})) > 0`
    : sql`(strpos(${searched}, lower(${text})) > 0 or strpos(${searched}, ${amount}) > 0)`;
}

/** What the filter `text` searches, in lower case: all that names or describes the item `i` (item rows). */
export function searchedText(sql: Reader): Fragment {
  return sql`lower(concat_ws(' ', i.id, i.code, i.message, i.file || ':' || i.line, i.merchant_account_id,
    round(i.amount_minor / 100.0, 2), i.settlement_tx_id, i.payment_id, i.merchant_transaction_id,
    i.clearing_institute_name, i.assignee, i.reason, i.note, i.decided_by))`;
}

/**
 * The columns of an `Item` over `i` (item rows), except pattern and suggested link. The payment of a link is looked up
 * for the few items that have one: a join read every payment for a list of 63,000 items without a link.
 */
function itemColumns(sql: Reader): Fragment {
  return sql`i.id as "discrepancyId", i.code, i.severity, i.status, i.lapsed, i.pending,
    i.amount_minor as "amountMinor", i.at_risk_minor as "atRiskMinor", i.currency, i.since::text as since,
    coalesce(i.age_days, 0) as "ageDays", i.message, i.merchant_account_id as "merchantAccountId",
    i.payment_type as "paymentType", i.date::text as date, i.decision, i.until::text as until,
    case when i.link_key is not null then (select linked.id from payments linked where linked.key = i.link_key) end as "linkTo",
    i.assignee, i.reason, i.note, i.decided_by as "decidedBy", i.decided_on::text as "decidedOn",
    i.payment_id as "paymentId", i.file, i.line,
    'b' || i.facts || 'n' || i.last_number as basis, i.source, i.settlement_tx_id as "settlementTxId",
    i.clearing_institute_name as "clearingInstitute", i.merchant_transaction_id as "merchantTransactionId",
    i.expected, i.actual, i.first_seen_run as "firstSeenRun"`;
}
