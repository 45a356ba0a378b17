import type { Tx } from '../../db/client.js';
import {
  withdrawnFiles,
  withdrawnRejectedFiles,
  type DueSettings,
  type RunScope,
} from '../../db/run-scope.js';

/**
 * Files whose rejected rows this report lists: those that a run finished, or those that a re-run of a range includes.
 */
export function reportedFiles(tx: Tx, scope: RunScope, due: DueSettings) {
  return scope.kind === 'run'
    ? tx`select id from settlement_files f
         where finished_run_id = ${scope.runId} and status in ('loaded', 'rejected') and not ${isWithdrawn(tx)}`
    : tx`select id from settlement_files f where not ${isWithdrawn(tx)} and status in ('loaded', 'rejected') and case
           when first_settlement_date is null
             then (received_at at time zone ${due.timezone})::date between ${scope.from} and ${scope.to}
           else first_settlement_date <= ${scope.to} and last_settlement_date >= ${scope.from} end`;
}

/** A withdrawn file needs no correction (design 4.8). */
function isWithdrawn(tx: Tx) {
  return tx`(f.id in (${withdrawnFiles(tx)}) or f.id in (${withdrawnRejectedFiles(tx)}))`;
}
