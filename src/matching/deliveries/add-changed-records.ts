import { fileIdArray, filesInScope, withdrawnFiles, type RunScope } from '../../db/run-scope.js';
import type { FileId } from '../../values/ids.js';
import type { Fragment, Tx } from '../fragment.js';
import { redecidedInScope } from '../manual-links/list-manual-links.js';

/**
 * Adds the records of withdrawn and restored files to this matching, those that were linked or unlinked since they were
 * matched, and the reversals that are linked to a chargeback among them. A run notes them as checked again; a re-run
 * matches those outside its range as well, and reports on its range only.
 *
 * A re-run also adds the records of other days in the files that it took in. Otherwise, it would report the payments
 * that they settle as missing, until the next run.
 *
 * Reads `changed_records`, makes `extra_records`.
 *
 * @param hasManualLinks whether there are `redecided_records`
 * @returns the files of the extra records
 */
export async function addChangedRecords(
  tx: Tx,
  scope: RunScope,
  hasManualLinks: boolean,
): Promise<readonly FileId[]> {
  await tx`create temp table extra_records (file_id integer, line integer, primary key (file_id, line))
    on commit drop`;
  const starts = hasManualLinks
    ? tx`(select file_id, line from changed_records union ${redecidedInScope(tx, scope)})`
    : tx`changed_records`;
  const [any] = await tx`select from ${starts} c limit 1`;
  if (scope.kind === 'run') {
    if (any !== undefined) await noteAsRechecked(tx, scope, touchedRecords(tx, starts));
    return [];
  }
  if (any !== undefined) {
    await tx`
      insert into extra_records (file_id, line)
      select r.file_id, r.line from (${touchedRecords(tx, starts)}) t
      join settlement_records r on r.file_id = t.file_id and r.line = t.line
      where ${isOutside(tx, scope)}`;
  }
  const unmatched = await addUnmatched(tx, scope);
  if (any === undefined && !unmatched) return [];
  await tx`analyze extra_records`;
  const files = await tx<{ file_id: FileId }[]>`select distinct file_id from extra_records`;
  return files.map((row) => row.file_id);
}

/**
 * Adds the records of other days in files that re-runs took in and no run has matched yet: usually those of this
 * re-run, and those of an earlier one that was killed before it matched them.
 *
 * @returns whether there are such files
 */
async function addUnmatched(tx: Tx, scope: RangeScope): Promise<boolean> {
  const files = await tx<{ id: FileId }[]>`
    select f.id from settlement_files f join runs r on r.id = f.finished_run_id
    where f.status = 'loaded' and r.kind <> 'run' and f.id not in (${withdrawnFiles(tx)})
      and (f.first_settlement_date < ${scope.from} or f.last_settlement_date > ${scope.to})
      and (select count(*) from record_matches m where m.file_id = f.id) < f.rows_accepted - f.rows_already_known`;
  if (files.length === 0) return false;
  const ids = fileIdArray(
    tx,
    files.map((file) => file.id),
  );
  await tx`
    insert into extra_records (file_id, line)
    select r.file_id, r.line from settlement_records r where r.file_id = any (${ids}) and ${isOutside(tx, scope)}
    on conflict do nothing`;
  return true;
}

type RangeScope = Extract<RunScope, { kind: 'range' }>;

/** Whether record `r` is of a day outside the range of a re-run. */
function isOutside(tx: Tx, { from, to }: RangeScope): Fragment {
  return tx`r.settlement_date not between ${from} and ${to}`;
}

/**
 * Adds the records whose deliveries were judged differently in this matching, or that return once more, and that are
 * not in `new_matches` yet. Makes `late_records`.
 *
 * @param hasReturned whether there are `returned_again`
 */
export async function addLateRecords(tx: Tx, scope: RunScope, hasReturned: boolean): Promise<void> {
  const returned = hasReturned ? tx`union select file_id, line from returned_again` : tx``;
  await tx`create temp table late_records on commit drop as
    ${touchedRecords(tx, tx`changed_records`)} ${returned} except select file_id, line from new_matches`;
  await tx`analyze late_records`;
  const late = tx`select file_id, line from late_records`;
  if (scope.kind === 'run') await noteAsRechecked(tx, scope, late);
  else await tx`insert into extra_records (file_id, line) ${late} on conflict do nothing`;
}

async function noteAsRechecked(
  tx: Tx,
  scope: Extract<RunScope, { kind: 'run' }>,
  records: Fragment,
): Promise<void> {
  await tx`
    insert into run_rechecks (run_id, file_id, line)
    select ${scope.runId}, t.file_id, t.line from (${records}) t
    where t.file_id not in (${filesInScope(tx, scope)})
    on conflict do nothing`;
}

/** They and their reversals, which are looked up: with stale statistics, each was compared with all links. */
function touchedRecords(tx: Tx, starts: Fragment): Fragment {
  return tx`(
    select c.file_id, c.line from ${starts} c
    union
    select reversal.file_id, reversal.line from ${starts} c
    cross join lateral (select l.chargeback_id from chargeback_links l
      where l.file_id = c.file_id and l.line = c.line and l.kind = 'CHARGEBACK' offset 0) l
    cross join lateral (select x.file_id, x.line from chargeback_links x
      where x.chargeback_id = l.chargeback_id and x.kind = 'CHARGEBACK REVERSAL' and x.active offset 0) reversal)`;
}
