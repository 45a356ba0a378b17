import { isDivided } from '../db/shards/is-divided.js';
import { collectFromShards } from '../db/shards/on-shards.js';
import { lookedUpRecords, rowsAtPlaces } from '../db/shards/rows-by-key.js';
import { filesInScope, isAmongFiles, type RunScope } from '../db/run-scope.js';
import type { FileId } from '../values/ids.js';
import { selectOfChangedPayments, type RecheckSettings } from './changed-payments/recheck-of-changed.js';
import type { Fragment, Tx } from './fragment.js';
import { repeatedByCorrections } from './repeated-by-corrections.js';

/**
 * Stores which earlier records this run matches again (design 4.6): those still NOT_MATCHED, MULTIPLE_MATCHES,
 * TYPE_MISMATCH, matched by ATTRIBUTES, REVERSAL_WITHOUT_CHARGEBACK, CHARGEBACK_BOOKED_TWICE or settled while their
 * payment was pending, whose SettlementDate is within `lookbackDays` before the as-of date. In this way a payment or a
 * chargeback that was stored late is found, a reversal by hand, and the result of a payment that was pending. Besides
 * these, those of payments to which something happened since the last run.
 */
export async function selectRechecks(
  tx: Tx,
  scope: Extract<RunScope, { kind: 'run' }>,
  settings: RecheckSettings,
): Promise<void> {
  const { due } = settings;
  const isOnShards = await isDivided(tx);
  const isOpen = tx`resolved_run is null and (code in ('REVERSAL_WITHOUT_CHARGEBACK', 'CHARGEBACK_BOOKED_TWICE', 'TYPE_MISMATCH')
        or (code = 'PAYMENT_NOT_SUCCESSFUL' and actual = 'PENDING'))`;
  const open = tx`
      select file_id, line from record_matches
      where status in ('NOT_MATCHED', 'MULTIPLE_MATCHES') or matched_by = 'ATTRIBUTES'
      union
      select file_id, line from discrepancies
      where ${isOpen}`;
  const oldest = tx`(${scope.asOf}::date - ${due.lookbackDays}::int)`;
  if (isOnShards) {
    // A result is on the shard of its record. The home server would fetch all results for this.
    await collectFromShards(tx, 'open_records', ofRecentRecords(tx, open, oldest), [
      {
        name: 'discrepancies',
        columns: 'file_id integer, line integer, resolved_run integer, code text collate "C", actual text',
        rows: tx`select file_id, line, resolved_run, code, actual from discrepancies
          where ${isOpen} and file_id is not null`,
      },
    ]);
  }
  const recent = isOnShards
    ? tx`select file_id, line from open_records`
    : ofRecentFiles(tx, open, oldest, await filesOfBoth(tx, oldest));
  await tx`
    insert into run_rechecks (run_id, file_id, line)
    select ${scope.runId}, o.file_id, o.line
    from (${recent}) o
    where o.file_id not in (${filesInScope(tx, scope)})
    on conflict do nothing`;
  await selectCorrected(tx, scope);
  await selectOfChangedPayments(tx, scope, settings);
}

/** Those of the places whose record has this date or a later one; for a shard, which does not have the files. */
function ofRecentRecords(tx: Tx, places: Fragment, oldest: Fragment): Fragment {
  return tx`select o.file_id, o.line
    from (${places}) o
    join settlement_records r on r.file_id = o.file_id and r.line = o.line
    where r.settlement_date >= ${oldest}`;
}

/**
 * The same, but a record is looked up only if its file has records before and after that date: most files are of one
 * day. After a year, most of what was accepted and holds is older.
 *
 * @param mixed those files. They are known when the look-up is planned, so it is not planned for all tables of records
 */
function ofRecentFiles(tx: Tx, places: Fragment, oldest: Fragment, mixed: readonly FileId[]): Fragment {
  return tx`select o.file_id, o.line
    from (${places}) o
    where case
      when o.file_id in (${loadedFiles(tx)} and f.first_settlement_date >= ${oldest}) then true
      else coalesce((select r.settlement_date from settlement_records r
        where ${isAmongFiles(tx, mixed)} and r.file_id = o.file_id and r.line = o.line)
          >= ${oldest}, false) end`;
}

/** The files with records before this date and on or after it. */
async function filesOfBoth(tx: Tx, date: Fragment): Promise<readonly FileId[]> {
  const files = await tx<{ id: FileId }[]>`
    ${loadedFiles(tx)} and f.first_settlement_date < ${date} and f.last_settlement_date >= ${date}`;
  return files.map(({ id }) => id);
}

const loadedFiles = (tx: Tx) => tx`select f.id from settlement_files f where f.status = 'loaded'`;

/**
 * Rows that were corrected (design 4.9) and are records of earlier files now, which no run has matched: of any age. And
 * the records that rows repeat which were corrected since the last completed run began: each of these rows is another
 * delivery of its record, in an earlier file. All are looked up, since a join could read all records.
 */
async function selectCorrected(tx: Tx, scope: Extract<RunScope, { kind: 'run' }>): Promise<void> {
  const [any] = await tx`select from row_corrections limit 1`;
  if (any === undefined) return;
  const isOnShards = await isDivided(tx);
  const places = tx`select file_id, line from row_corrections`;
  const records = lookedUpRecords(tx, { isOnShards, columns: tx`true as stored`, of: tx`c`, places });
  await tx`
    insert into run_rechecks (run_id, file_id, line)
    select ${scope.runId}, c.file_id, c.line
    from row_corrections c
    join ${records}
    where not exists (select from ${rowsAtPlaces(tx, isOnShards, 'record_matches', places)} m
        where m.file_id = c.file_id and m.line = c.line)
      and c.file_id not in (${filesInScope(tx, scope)})
    on conflict do nothing`;
  await tx`
    insert into run_rechecks (run_id, file_id, line)
    select ${scope.runId}, k.record_file_id, k.record_line
    from ${repeatedByCorrections(tx)}
    where c.decided_at > coalesce(
        (select max(r.started_at) from runs r where r.kind = 'run' and r.status = 'completed'), '-infinity')
      and k.record_file_id not in (${filesInScope(tx, scope)})
    on conflict do nothing`;
}
