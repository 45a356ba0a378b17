import type { Tx } from '../../db/client.js';
import type { ChartedRun } from './page-model.js';

/** The charts show at most this many runs. */
const runsOnPage = 30;

/** The completed runs before a run (0: all of them), the latest ones, oldest first. */
export async function readEarlierRuns(tx: Tx, runId: number): Promise<ChartedRun[]> {
  const rows = await tx<ChartedRun[]>`
    select id as "runId", kind, as_of::text as "asOf", rows,
      (items ->> 'open')::int as open, (items ->> 'new')::int as new, (items ->> 'resolved')::int as resolved
    from (
      select id, kind, as_of, outcome -> 'items' as items,
        (select coalesce(sum((file -> 'rows' ->> 'accepted')::int), 0)::int
          from jsonb_array_elements(outcome -> 'files') file) as rows
      from runs
      where status = 'completed' and (${runId}::int = 0 or id < ${runId}) and outcome -> 'items' ->> 'open' is not null
      order by id desc limit ${runsOnPage - 1}
    ) r
    order by id`;
  return [...rows];
}
