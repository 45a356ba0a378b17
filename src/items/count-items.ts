import { noItems, type ItemCounts } from '../outcome.js';
import type { Reader } from './fragment.js';
import type { RunId } from '../values/ids.js';
import { itemRows, type ItemView } from './item-rows.js';

/**
 * How many items the whole database holds, by state, and which a run saw first or resolved (design 5). A lapsed item is
 * open, and counted there too; a finding that was resolved and holds again is not new.
 */
export async function countItems(sql: Reader, view: ItemView, runId: RunId): Promise<ItemCounts> {
  const [row] = await sql<ItemCounts[]>`
    select count(*) filter (where status = 'OPEN')::int as open,
      count(*) filter (where first_seen_run = ${runId})::int as new,
      jsonb_build_object(
        'error', count(*) filter (where first_seen_run = ${runId} and severity = 'error'),
        'warning', count(*) filter (where first_seen_run = ${runId} and severity = 'warning'),
        'info', count(*) filter (where first_seen_run = ${runId} and severity = 'info')) as "newBySeverity",
      (select count(*)::int from discrepancies d where d.resolved_run = ${runId}) as resolved,
      count(*) filter (where status = 'WAITING')::int as waiting,
      count(*) filter (where status = 'ACCEPTED')::int as accepted,
      count(*) filter (where lapsed)::int as lapsed
    from (${itemRows(sql, view, sql`d.resolved_run is null`)}) i`;
  return row ?? noItems;
}
