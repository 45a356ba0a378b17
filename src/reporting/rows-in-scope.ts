import type { Tx } from '../db/client.js';
import { filesInScope, type RunScope } from '../db/run-scope.js';

/** Tables about records, with their key: file_id and line. */
type RecordTable = 'record_matches' | 'chargeback_links';

/**
 * The rows of a table that are about records in scope: a fragment that selects `t.*`. It selects the
 * same rows as a join with `recordsInScope` (a test compares the two), without reading a million records to find a
 * hundred findings.
 */
export function rowsInScope(tx: Tx, scope: RunScope, table: RecordTable) {
  return scope.kind === 'run'
    ? tx`select t.* from ${tx(table)} t where t.file_id in (${filesInScope(tx, scope)})
         union all
         select t.* from run_rechecks c join ${tx(table)} t on t.file_id = c.file_id and t.line = c.line
         where c.run_id = ${scope.runId} and c.file_id not in (${filesInScope(tx, scope)})`
    : tx`select t.* from ${tx(table)} t
         join settlement_records r on r.file_id = t.file_id and r.line = t.line
         where t.file_id in (${filesInScope(tx, scope)})
           and r.settlement_date between ${scope.from} and ${scope.to}`;
}

/** Whether record `r` (settlement_records) is in scope: for a few records that a statement has joined already. */
export function isRecordInScope(tx: Tx, scope: RunScope) {
  return scope.kind === 'run'
    ? tx`(r.file_id in (${filesInScope(tx, scope)}) or exists (
          select from run_rechecks c
          where c.run_id = ${scope.runId} and c.file_id = r.file_id and c.line = r.line))`
    : tx`r.settlement_date between ${scope.from} and ${scope.to}`;
}
