import type { RunId } from '../../values/ids.js';
import type { Tx } from '../fragment.js';

/**
 * Takes over what the matching of earlier runs found, where these died, failed or were interrupted before they reported
 * it: new, resolved and changed findings count as those of this run, and the records that those runs checked again are
 * checked again. Otherwise no run would report them as new, nor raise an alert about them.
 *
 * What a run that was completed afterwards has taken over is not touched: only runs since the last one are looked at.
 */
export async function adoptFindings(tx: Tx, runId: RunId): Promise<void> {
  const unfinished = await tx<{ id: RunId }[]>`
    select id from runs where status <> 'completed' and id <> ${runId}
      and id > coalesce((select max(id) from runs where status = 'completed' and kind = 'run'), 0)`;
  if (unfinished.length === 0) return;
  const ids = tx`string_to_array(${unfinished.map(({ id }) => id).join(',')}, ',')::integer[]`;
  // Before the new ones: what one of these runs found and another resolved was never reported.
  await tx`
    update discrepancies set resolved_run = ${runId}
    where resolved_run = any (${ids}) and first_seen_run <> all (${ids})`;
  // Open and accepted findings apart, because each of the two has an index.
  await tx`update discrepancies set first_seen_run = ${runId} where first_seen_run = any (${ids}) and not is_settled`;
  await tx`
    update discrepancies set first_seen_run = ${runId}
    where first_seen_run = any (${ids}) and resolved_run is null and accepted_at_risk_minor is not null`;
  // The values before the first of these runs.
  await tx`
    insert into discrepancy_changes (id, run_id, severity, file_id, line, expected, actual, difference_minor, resolved_run)
    select distinct on (id) id, ${runId}, severity, file_id, line, expected, actual, difference_minor, resolved_run
    from discrepancy_changes where run_id = any (${ids}) order by id, run_id`;
  await tx`delete from discrepancy_changes where run_id = any (${ids})`;
  await tx`
    insert into run_rechecks (run_id, file_id, line)
    select distinct ${runId}::integer, file_id, line from run_rechecks where run_id = any (${ids})`;
}
