import type { Reader } from '../db/client.js';
import { noItems, type ItemCounts } from '../outcome.js';
import type { RunId } from '../values/ids.js';
import { itemRows, prepareView, type ItemView } from './item-rows.js';
import { isUnsettledAndDecided, settledSums, unsettledFindings } from './settled-findings.js';

/**
 * How many items the whole database holds, by state, and which a run saw first or resolved (design 5). A lapsed item is
 * open, and counted there too; a finding that was resolved and holds again is not new.
 *
 * An item is open unless a decision says otherwise, so only items with a decision are joined with their records and
 * payments; and of those, not the ones that a run noted as accepted.
 */
export async function countItems(sql: Reader, view: ItemView, runId: RunId): Promise<ItemCounts> {
  const prepared = await prepareView(sql, view);
  const decided = itemRows(sql, prepared, { wanted: isUnsettledAndDecided(sql, prepared) });
  const [row] = await sql<ItemCounts[]>`
    select (every.items - decided.waiting - decided.accepted)::int as open, every.new, every."newBySeverity",
      (select count(*)::int from discrepancies d where d.resolved_run = ${runId}) as resolved,
      decided.waiting::int, (every.settled + decided.accepted)::int as accepted, decided.lapsed
    from (
      select coalesce(sum(items), 0) as items, coalesce(sum(settled), 0) as settled,
        coalesce(sum(items + settled) filter (where is_new), 0)::int as new,
        jsonb_build_object(
          'error', coalesce(sum(items + settled) filter (where is_new and severity = 'error'), 0),
          'warning', coalesce(sum(items + settled) filter (where is_new and severity = 'warning'), 0),
          'info', coalesce(sum(items + settled) filter (where is_new and severity = 'info'), 0)) as "newBySeverity"
      from (
        select d.first_seen_run = ${runId} as is_new, d.severity, count(*) as items, 0 as settled
        from ${unsettledFindings(sql, prepared)} d group by 1, 2
        union all
        select first_seen_run = ${runId}, severity, 0, count from (${settledSums(sql, prepared)}) settled
      ) of_state
    ) every
    cross join (
      select count(*) filter (where status = 'WAITING') as waiting,
        count(*) filter (where status = 'ACCEPTED') as accepted, count(*) filter (where lapsed)::int as lapsed
      from (${decided}) i
    ) decided`;
  return row ?? noItems;
}
