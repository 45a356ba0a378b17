import type { Fragment, Reader } from '../db/client.js';
import { holdsText, matches, type ItemFilter } from './list-items.js';
import { atRiskOf, sumsAtRisk, type AtRisk, type SumsAtRisk } from './at-risk.js';
import { patternMoney, type Pattern } from './patterns.js';

/** The columns that a list can be sorted by; `atRisk` is the order of reports. */
export const sortKeys = ['atRisk', 'age', 'amount', 'date', 'code', 'account', 'status'] as const;
/** See {@link sortKeys}. */
export type SortKey = (typeof sortKeys)[number];

/** A page of items in an order that a person chose. */
export interface PageRequest {
  readonly filter: ItemFilter;
  readonly sort: SortKey;
  readonly descending: boolean;
  /** The place of the last item of the page before. */
  readonly after: PagePlace | null;
  readonly limit: number;
}

/** Where an item stands in the order, so that the next page begins after it whatever was added or decided meanwhile. */
export interface PagePlace {
  readonly key: string;
  readonly weight: string;
  readonly ageDays: number;
  readonly id: string;
}

/** An item of a page, with what only the whole of the items says about it. */
export interface PageEntry extends PagePlace {
  readonly suggestedLink: string | null;
  readonly pattern: string | null;
}

/** One page of the sorted items of a filter, and whether others follow. */
export async function readPage(
  session: Reader,
  { filter, sort, descending, after, limit }: PageRequest,
): Promise<{ entries: PageEntry[]; more: boolean }> {
  const key = keyOf(session, sort);
  const direction = descending ? session`desc` : session``;
  const order =
    sort === 'atRisk' && descending
      ? session`i.weight desc, i.age_days desc, i.id collate "C"`
      : session`${key} ${direction}, i.weight desc, i.age_days desc, i.id collate "C"`;
  const rows = await session<PageEntry[]>`
    select i.id, (${key})::text as key, i.weight::text, i.age_days as "ageDays", marks.other as "suggestedLink",
      marks.pattern
    from sorted_items i left join item_marks marks on marks.id = i.id
    where ${isWanted(session, filter)} ${after === null ? session`` : isAfter(session, { sort, descending }, after)}
    order by ${order}
    limit ${limit + 1}`;
  return { entries: rows.slice(0, limit).map((row) => ({ ...row })), more: rows.length > limit };
}

/** How many items a filter has, and what is at risk in them by currency. */
export interface FilterTotals {
  readonly count: number;
  readonly money: readonly (AtRisk & { readonly currency: string | null; readonly count: number })[];
}

/** Counts and adds up the items of a filter. */
export async function readTotals(session: Reader, filter: ItemFilter): Promise<FilterTotals> {
  const rows = await session<(SumsAtRisk & { currency: string | null; count: number })[]>`
    select i.currency, count(*)::int as count, ${sumsAtRisk(session)}
    from sorted_items i where ${isWanted(session, filter)}
    group by i.currency order by i.currency collate "C"`;
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    money: rows.map(({ missing, surplus, ...row }) => ({ ...row, ...atRiskOf({ missing, surplus }) })),
  };
}

/** Ids of one round trip. */
const idsAtOnce = 10_000;

/** The ids of a filter, in batches. */
export async function* readIds(session: Reader, filter: ItemFilter): AsyncGenerator<string[]> {
  const rows = session<{ id: string }[]>`
    select i.id from sorted_items i where ${isWanted(session, filter)}`;
  for await (const batch of rows.cursor(idsAtOnce)) yield batch.map(({ id }) => id);
}

/** The values that items can be filtered by, with how many open or waiting items have them, the most frequent first. */
export type Facets = Readonly<
  Record<'code' | 'account' | 'currency' | 'assignee', readonly { value: string; count: number }[]>
>;

/** A list of more accounts is no longer one to choose from; the filter takes any. */
const mostValues = 500;

/** At most `mostValues` values of each kind. */
export async function readFacets(session: Reader): Promise<Facets> {
  const of = async (column: Fragment) => {
    const rows = await session<{ value: string; count: number }[]>`
      select ${column} as value, count(*) filter (where status <> 'ACCEPTED')::int as count from sorted_items
      where ${column} is not null group by 1 order by 2 desc, 1 limit ${mostValues}`;
    return rows.map((row) => ({ ...row }));
  };
  return {
    code: await of(session`code`),
    account: await of(session`merchant_account_id`),
    currency: await of(session`currency`),
    assignee: await of(session`assignee`),
  };
}

/** The patterns, with the items of each that are open or waiting now, the largest first. */
export async function readPatterns(session: Reader): Promise<Pattern[]> {
  const rows = await session<(Omit<Pattern, 'money'> & SumsAtRisk & { currency: string; amount: bigint })[]>`
    select marks.pattern as "patternId", min(i.code) as code, min(i.merchant_account_id) as "merchantAccountId",
      nullif(min(marks.expected), '') as expected, nullif(min(marks.actual), '') as actual, count(*)::int as count,
      coalesce(i.currency, '') as currency, coalesce(sum(i.amount_minor), 0)::bigint as amount,
      ${sumsAtRisk(session)}
    from item_marks marks join sorted_items i on i.id = marks.id
    where marks.pattern is not null and i.status not in ('ACCEPTED', 'RESOLVED')
    group by marks.pattern, i.currency
    order by marks.pattern, i.currency collate "C"`;
  const patterns = new Map<string, Pattern>();
  for (const { currency, amount, missing, surplus, ...row } of rows) {
    const former = patterns.get(row.patternId);
    const money = patternMoney({ currency, amount, missing, surplus });
    patterns.set(row.patternId, {
      ...row,
      count: row.count + (former?.count ?? 0),
      money: [...(former?.money ?? []), money],
    });
  }
  return [...patterns.values()].sort((a, b) => b.count - a.count || (a.patternId < b.patternId ? -1 : 1));
}

/**
 * The ids of a text are collected first: the server expects it in a third of the items, and looked for the first page
 * of a rare one in each item in turn, which took two seconds for 150,000 items.
 */
function isWanted(session: Reader, filter: ItemFilter): Fragment {
  const { pattern, text } = filter;
  const ofPattern =
    pattern === null
      ? session``
      : session`and i.id in (select id from item_marks where pattern = ${pattern})`;
  const ofText =
    text === null
      ? session``
      : session`and i.id = any (array(select id from searched_items where ${holdsText(session, session`searched`, text)}))`;
  return session`${matches(session, { ...filter, text: null })} ${ofPattern} ${ofText}`;
}

function keyOf(session: Reader, sort: SortKey): Fragment {
  switch (sort) {
    case 'atRisk':
      return session`i.weight`;
    case 'age':
      return session`i.age_days`;
    case 'amount':
      return session`coalesce(i.amount_minor, 0)`;
    case 'date':
      return session`coalesce(i.date, '0001-01-01'::date)`;
    case 'code':
      return session`i.code collate "C"`;
    case 'account':
      return session`coalesce(i.merchant_account_id, '') collate "C"`;
    case 'status':
      return session`i.status collate "C"`;
  }
}

/** The place's key as a value of the type that `keyOf` has. */
function placeKey(session: Reader, sort: SortKey, { key }: PagePlace): Fragment {
  switch (sort) {
    case 'atRisk':
    case 'age':
    case 'amount':
      return session`${key}::text::bigint`;
    case 'date':
      return session`${key}::text::date`;
    case 'code':
    case 'account':
    case 'status':
      return session`${key}::text`;
  }
}

/** Whether an item comes after a place. The first condition is the one that an index answers. */
function isAfter(
  session: Reader,
  { sort, descending }: Pick<PageRequest, 'sort' | 'descending'>,
  after: PagePlace,
): Fragment {
  const [key, place] = [keyOf(session, sort), placeKey(session, sort, after)];
  const further = descending ? session`<` : session`>`;
  const weight = session`${after.weight}::text::bigint`;
  return session`and ${key} ${further}= ${place} and (${key} ${further} ${place} or (${key} = ${place}
    and (i.weight < ${weight} or (i.weight = ${weight} and (i.age_days < ${after.ageDays}
      or (i.age_days = ${after.ageDays} and i.id collate "C" > ${after.id}))))))`;
}
