import type { Fragment, Reader } from '../db/client.js';
import { currentItems, unresolvedItems, withoutDatesAndIds } from './unresolved-items.js';
import { itemRows, itemRowsOf, prepareView, type ItemView } from './item-rows.js';
import { searchedText } from './list-items.js';
import { patternsOfItems } from './patterns.js';
import { suggestedLinks } from './suggested-links.js';

/*
 * Sorted items: what filters, order and sums need of every item, in temporary tables of one session. The order of items
 * follows from records, payments and decisions together, so no index of a stored table has it: the first 50 of 600,000
 * items took 20 seconds, and from these tables 10 ms. They are filled once and after each run; a decision renews the
 * rows of its items. Other columns are read from the stored tables, for the rows of one page.
 */

/** Which items a session sorts: those whose finding holds, or those that are resolved. */
export type SortedKind = 'unresolved' | 'resolved';

/** Fills `sorted_items`, and `item_marks`, which stays empty until `fillMarks`. */
export async function fillSortedItems(session: Reader, view: ItemView, kind: SortedKind): Promise<void> {
  // In a small container, the embedded server gives each step less (`db/plan-for-millions.ts`).
  await session`
    select set_config('temp_buffers', coalesce(current_setting('recon.work_mem', true), '64MB'), false)`;
  await session`
    create temporary table sorted_items (
      id text not null, code text not null, severity text not null, status text not null, lapsed boolean not null,
      merchant_account_id text, currency text, assignee text, amount_minor bigint, at_risk_minor bigint not null,
      weight bigint not null, age_days integer not null, date date)`;
  // Apart, so that sums and orders do not read it: with it, they took three times as long.
  await session`create temporary table searched_items (id text not null, searched text not null)`;
  await session`
    create temporary table item_marks (
      id text not null, pattern text, other text, expected text, actual text)`;
  await insertItems(
    session,
    itemRows(session, await prepareView(session, view), {
      wanted: ofKind(session, kind),
      mayBeResolved: kind === 'resolved',
    }),
  );
  await session`create index on sorted_items (weight desc, age_days desc, id collate "C")
    where status not in ('ACCEPTED', 'RESOLVED')`;
  await session`create index on sorted_items (id)`;
  await session`create index on searched_items (id)`;
  await session`create index on item_marks (id)`;
  await session`analyze sorted_items`;
  await session`analyze searched_items`;
}

/** Renews the rows of items that were decided about. */
export async function renewItems(
  session: Reader,
  view: ItemView,
  kind: SortedKind,
  ids: readonly string[],
): Promise<void> {
  const listed = session`any (string_to_array(${ids.join(',')}, ','))`;
  await session`delete from sorted_items where id = ${listed}`;
  await session`delete from searched_items where id = ${listed}`;
  await insertItems(
    session,
    itemRowsOf(session, await prepareView(session, view), ids, ofKind(session, kind)),
  );
}

/** Finds the patterns and suggested links of all items. It takes several times as long as everything else. */
export async function fillMarks(session: Reader, view: ItemView): Promise<void> {
  const unresolved = unresolvedItems(session, await prepareView(session, view));
  // A full join cannot be planned as a loop within a loop; its condition is hidden, so that it stays a full join.
  await session`
    with ${unresolved}, patterns as (${patternsOfItems(session)}),
      links as (${suggestedLinks(session, currentItems(session))})
    insert into item_marks (id, pattern, other, expected, actual)
    select i.id, patterns.pattern, links.other, ${withoutDatesAndIds(session, session`i.expected`)},
      ${withoutDatesAndIds(session, session`i.actual`)}
    from unresolved i
    full join patterns on patterns.cause = i.cause
    full join links on links.id = i.id
    where coalesce(i.id is not null and (patterns.cause is not null or links.id is not null), false)`;
  await session`analyze item_marks`;
}

async function insertItems(session: Reader, rows: Fragment): Promise<void> {
  await session`
    with rows as (
      select i.id, i.code, i.severity, i.status, i.lapsed, i.merchant_account_id, i.currency, i.assignee, i.amount_minor,
        i.at_risk_minor, abs(i.at_risk_minor) as weight, coalesce(i.age_days, 0) as age_days, i.date,
        ${searchedText(session)} as searched
      from (${rows}) i
    ), texts as (
      insert into searched_items (id, searched) select id, searched from rows
    )
    insert into sorted_items (id, code, severity, status, lapsed, merchant_account_id, currency, assignee, amount_minor,
      at_risk_minor, weight, age_days, date)
    select id, code, severity, status, lapsed, merchant_account_id, currency, assignee, amount_minor, at_risk_minor, weight,
      age_days, date
    from rows`;
}

function ofKind(session: Reader, kind: SortedKind): Fragment {
  return kind === 'unresolved' ? session`d.resolved_run is null` : session`d.resolved_run is not null`;
}
