import { noItems, type ItemCounts } from '../outcome.js';
import type { Reader } from './fragment.js';
import type { RunId } from '../values/ids.js';
import { itemRows, type ItemView } from './item-rows.js';

/**
 * How many items the whole database holds, by state, and which a run saw first or resolved (design 5). A lapsed item is
 * open, and counted there too; a finding that was resolved and holds again is not new.
 *
 * An item is open unless a decision says otherwise, so only items with a decision are joined with their records and
 * payments.
 */
export async function countItems(sql: Reader, view: ItemView, runId: RunId): Promise<ItemCounts> {
  const [row] = await sql<ItemCounts[]>`
    select (every.items - decided.waiting - decided.accepted)::int as open, every.new, every."newBySeverity",
      (select count(*)::int from discrepancies d where d.resolved_run = ${runId}) as resolved,
      decided.waiting::int, decided.accepted::int, decided.lapsed
    from (
      select count(*) as items, count(*) filter (where d.first_seen_run = ${runId})::int as new,
        jsonb_build_object(
          'error', count(*) filter (where d.first_seen_run = ${runId} and d.severity = 'error'),
          'warning', count(*) filter (where d.first_seen_run = ${runId} and d.severity = 'warning'),
          'info', count(*) filter (where d.first_seen_run = ${runId} and d.severity = 'info')) as "newBySeverity"
      from discrepancies d where d.resolved_run is null
    ) every
    cross join (
      select count(*) filter (where status = 'WAITING') as waiting,
        count(*) filter (where status = 'ACCEPTED') as accepted, count(*) filter (where lapsed)::int as lapsed
      from (${itemRows(sql, view, sql`d.resolved_run is null and s.number is not null`)}) i
    ) decided`;
  return row ?? noItems;
}
