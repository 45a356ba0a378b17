import type { Tx } from '../../db/client.js';
import { filesInScope, isAmongFiles, type RunScope } from '../../db/run-scope.js';
import type { FileId } from '../../values/ids.js';

/** Tables about records, with their key: file_id and line. */
type RecordTable = 'record_matches' | 'chargeback_links';

/**
 * The rows of a table that are about records in scope: a fragment that selects `t.*`. It selects the same rows as a
 * join with `recordsInScope` (a test compares the two), without reading a million records to find a hundred findings.
 * Records that do not count (design 4.8) are left out.
 *
 * @param fileIds of `fileIdsInScope`: the days of a range are looked up in the tables of these files only
 */
export function rowsInScope(tx: Tx, scope: RunScope, table: RecordTable, fileIds: readonly FileId[]) {
  // The ids of the files as an array, so that the planner reads their range of the key: of a subselect it expects a
  // share of the whole table, which holds years, and reads that.
  const files = tx`array(${filesInScope(tx, scope)})`;
  const counts = table === 'chargeback_links' ? tx`t.active` : countsSomewhere(tx);
  return scope.kind === 'run'
    ? tx`select t.* from ${tx(table)} t where t.file_id = any (${files}) and ${counts}
         union all
         select t.* from run_rechecks c join ${tx(table)} t on t.file_id = c.file_id and t.line = c.line
         where c.run_id = ${scope.runId} and c.file_id <> all (${files}) and ${counts}`
    : tx`select t.* from ${tx(table)} t
         ${recordDates(tx, table, fileIds)}
         where t.file_id = any (${files})
           and r.settlement_date between ${scope.from} and ${scope.to} and ${counts}`;
}

/**
 * Chargebacks are few beside the records, so the date of each is looked up: a join would leave it to the planner to
 * read all records of the range for each. `limit 1` leaves it no choice.
 */
function recordDates(tx: Tx, table: RecordTable, fileIds: readonly FileId[]) {
  const isRecord = tx`r.file_id = t.file_id and r.line = t.line and ${isAmongFiles(tx, fileIds)}`;
  return table === 'chargeback_links'
    ? tx`cross join lateral (select r.settlement_date from settlement_records r where ${isRecord} limit 1) r`
    : tx`join settlement_records r on ${isRecord}`;
}

/**
 * Usually decided without a look-up: a withdrawn or superseded record is NOT_APPLICABLE. A redelivered one, which may
 * be a fee without a payment, counts while it waits for a decision.
 */
function countsSomewhere(tx: Tx) {
  return tx`(t.status <> 'NOT_APPLICABLE' or not exists (select from uncounted_records u
    where u.file_id = t.file_id and u.line = t.line and u.reason <> 'REDELIVERED'))`;
}

/** Whether record `r` (settlement_records) is in scope: for a few records that a statement has joined already. */
export function isRecordInScope(tx: Tx, scope: RunScope) {
  return scope.kind === 'run'
    ? tx`(r.file_id in (${filesInScope(tx, scope)}) or exists (
          select from run_rechecks c
          where c.run_id = ${scope.runId} and c.file_id = r.file_id and c.line = r.line))`
    : tx`r.settlement_date between ${scope.from} and ${scope.to}`;
}
