import { fileIdArray, fileIdsInScope, type RunScope } from '../../db/run-scope.js';
import type { Tx } from '../fragment.js';

/**
 * Removes the results of withdrawn and superseded records from `new_matches` (design 4.8): they have no payment, and no
 * check applies to them. A record with a chargeback id keeps the name of its key, because matching does not look for it
 * again when the record counts again. A record that waits for a decision about its deliveries stays matched and needs a
 * review.
 *
 * @returns whether there are any
 */
export async function excludeUncounted(tx: Tx, scope: RunScope): Promise<boolean> {
  const files = fileIdArray(tx, await fileIdsInScope(tx, scope));
  const rechecked = scope.kind === 'run' ? tx`run_rechecks where run_id = ${scope.runId}` : tx`extra_records`;
  // Reading a million results again takes a tenth of a second; usually there is nothing to remove.
  const [any] = await tx`
    select from uncounted_records u
    where u.file_id = any (${files}) or (u.file_id, u.line) in (select file_id, line from ${rechecked})
    limit 1`;
  if (any === undefined) return false;
  await tx`
    update new_matches n set status = 'NOT_APPLICABLE', matched_by = case when n.pinned then n.matched_by end,
      payment_key = null, needs_review = false
    from uncounted_records u
    where u.file_id = n.file_id and u.line = n.line and u.reason <> 'REDELIVERED'`;
  await tx`
    update new_matches n set needs_review = true from uncounted_records u
    where u.file_id = n.file_id and u.line = n.line and u.reason = 'REDELIVERED'`;
  return true;
}
