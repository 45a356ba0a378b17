import type { Fragment, Tx } from '../../db/client.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { collectFromShards } from '../../db/shards/on-shards.js';
import { fileIdArray, reportedFilesInScope, type RunScope } from '../../db/run-scope.js';
import { placesOfRecords, repeatedRecords } from '../../db/repeated-records.js';
import type { AcceptedSum, SummedFile } from './accepted-sum.js';
import { AcceptedTotalsAdder, type AcceptedTotals } from './accepted-totals.js';
import { feePlace } from './fee-place.js';

/**
 * Reads every accepted row in scope once, summed in the database for all purposes. Records and repeated rows are summed
 * separately: most rows are the records themselves, which need no join.
 *
 * @param early if its files are those of the scope, only the rows that count differently are read. They are added to it
 */
export async function sumAcceptedRows(
  tx: Tx,
  scope: RunScope,
  early: AcceptedTotalsAdder | null = null,
): Promise<AcceptedTotals> {
  const summed = await summedFiles(tx, scope);
  const ids = summed.map(({ id }) => id);
  if (early?.files.join() === ids.join()) {
    await correctEarlySums(tx, early);
    return early.totals();
  }
  const files = fileIdArray(tx, ids);
  const own = tx`
      select r.file_id, false as known, u.file_id is null as counted, sum(r.line)::float8 as lines, ${sumsOf(tx)}
      from settlement_records r
      left join uncounted_records u on u.file_id = r.file_id and u.line = r.line
      where r.file_id = any (${files}) and ${isInRange(tx, scope)}
      group by r.file_id, counted, ${sumKeys(tx)}`;
  const adder = new AcceptedTotalsAdder(summed);
  const add = (sum: AcceptedSum) => {
    adder.add(sum);
  };
  const isOnShards = await isDivided(tx);
  if (isOnShards) await sumOnShards(tx, own, files);
  await forEachSum(tx, isOnShards ? sumsOfShards(tx) : own, add);
  const repeated = { rows: repeatedRows(tx, files), where: isInRange(tx, scope) };
  await forEachSumOfRepeated(tx, summed, repeated, add);
  return adder.totals();
}

/**
 * Sums of all rows of the files of a run, as if each record counted and no repeated row did, for `sumAcceptedRows`:
 * these do not depend on the matching, which decides what counts.
 */
export async function sumFiles(tx: Tx, scope: RunScope): Promise<AcceptedTotalsAdder> {
  const summed = await summedFiles(tx, scope);
  const adder = new AcceptedTotalsAdder(summed);
  const add = (sum: AcceptedSum) => {
    adder.add(sum);
  };
  const files = fileIdArray(tx, adder.files);
  const own = tx`
      select r.file_id, false as known, true as counted, sum(r.line)::float8 as lines, ${sumsOf(tx)}
      from settlement_records r
      where r.file_id = any (${files})
      group by r.file_id, ${sumKeys(tx)}`;
  await forEachSum(tx, own, add);
  const rows = tx`select k.file_id as by_file_id, k.line as by_line, k.record_file_id as file_id, k.record_line as line,
      false as counted from already_known_rows k where k.file_id = any (${files})`;
  await forEachSumOfRepeated(tx, summed, { rows, where: tx`true` }, add);
  return adder;
}

/** Corrects what {@link sumFiles} assumed: some records do not count, and some rows count instead of their records. */
async function correctEarlySums(tx: Tx, early: AcceptedTotalsAdder): Promise<void> {
  const files = fileIdArray(tx, early.files);
  const uncounted = tx`
      select r.file_id, false as known, false as counted, sum(r.line)::float8 as lines, ${sumsOf(tx)}
      from uncounted_records u
      join settlement_records r on r.file_id = u.file_id and r.line = u.line
      where u.file_id = any (${files})
      group by r.file_id, ${sumKeys(tx)}`;
  await forEachSum(tx, uncounted, (sum) => {
    early.uncount(sum);
  });
  // Only rows of a record whose file is withdrawn count instead of it.
  const [withdrawn] = await tx`select from withdrawn_files limit 1`;
  if (withdrawn === undefined) return;
  const rows = tx`select * from (${repeatedRows(tx, files)}) k where k.counted`;
  await forEachSumOfRepeated(tx, early.summed, { rows, where: tx`true` }, (sum) => {
    early.count(sum);
  });
}

/**
 * @param repeated.rows selects `by_file_id`, `by_line` and `counted` of the repeated rows, and `file_id` and `line` of
 *   their records
 * @param repeated.where a condition on the records, `r`
 */
async function forEachSumOfRepeated(
  tx: Tx,
  files: readonly SummedFile[],
  { rows, where }: { readonly rows: Fragment; readonly where: Fragment },
  take: (sum: AcceptedSum) => void,
): Promise<void> {
  const repeating = files.filter(({ rowsAlreadyKnown }) => rowsAlreadyKnown > 0).map(({ id }) => id);
  if (repeating.length === 0) return;
  const records = repeatedRecords(tx, await placesOfRecords(tx, repeating), {
    rows,
    kept: tx`k.by_file_id, k.by_line, k.counted`,
    columns: columnsOfSums(tx),
    where,
  });
  const sums = tx`
      select r.by_file_id as file_id, true as known, r.counted, sum(r.by_line)::float8 as lines, ${sumsOf(tx)}
      from (${records}) r
      group by r.by_file_id, r.counted, ${sumKeys(tx)}`;
  await forEachSum(tx, sums, take);
}

/** As values and not as a subquery: for files that the planner knows, it adds up in memory instead of sorting. */
async function summedFiles(tx: Tx, scope: RunScope): Promise<SummedFile[]> {
  const files = await tx<SummedFile[]>`
    select id, source, name, sha256, coalesce(report_name, name) as "reconciledName",
      rows_already_known as "rowsAlreadyKnown"
    from settlement_files where id in (${reportedFilesInScope(tx, scope)})`;
  return files.sort((a, b) => a.id - b.id);
}

/** One by one as they arrive: there may be as many sums as rows. A cursor would prevent a parallel plan. */
async function forEachSum(tx: Tx, sums: Fragment, take: (sum: AcceptedSum) => void): Promise<void> {
  await tx<AcceptedSum[]>`${sums}`.forEach(take);
}

/** Each shard adds up its own records. */
async function sumOnShards(tx: Tx, own: Fragment, files: Fragment): Promise<void> {
  await tx`drop table if exists pg_temp.sums_of_shards`;
  await collectFromShards(tx, 'sums_of_shards', own, [
    {
      name: 'uncounted_records',
      columns: 'file_id integer, line integer',
      rows: tx`select file_id, line from uncounted_records where file_id = any (${files})`,
    },
  ]);
}

/** The same groups as on one server: records of one group may be on several shards. */
function sumsOfShards(tx: Tx) {
  const sum = (column: string) => tx`sum(${tx(column)}::numeric)::text as ${tx(column)}`;
  return tx`select r.file_id, r.known, r.counted, sum(r.lines) as lines, ${keyColumns(tx)}, fee_place,
      sum(r.count)::int as count, ${sum('settlement_amount')}, ${sum('amount')}, ${sum('settlement_fee')}
    from sums_of_shards r group by r.file_id, r.known, r.counted, ${keyColumns(tx)}, fee_place`;
}

/**
 * Selects the repeated rows of the files (`by_file_id`, `by_line`) with the places of their records, and whether each
 * counts instead of its record: the record's own file is withdrawn, and this is the first of the other files, not
 * withdrawn, that brought it (design 4.8).
 *
 * Those first rows are listed once. Nothing finds the rows of a record, so each was compared with all rows before it.
 * The full join is never a loop within a loop. Usually no file is withdrawn, and then the list is not made.
 */
function repeatedRows(tx: Tx, files: Fragment): Fragment {
  const withdrawn = tx`(select file_id from withdrawn_files)`;
  return tx`
      select k.file_id as by_file_id, k.line as by_line, k.record_file_id as file_id,
        k.record_line as line, (first_row.file_id is not null
        and not exists (select from uncounted_records u
          where u.file_id = k.record_file_id and u.line = k.record_line)) as counted
      from (select * from already_known_rows where file_id = any (${files})) k
      full join (
        select distinct on (e.record_file_id, e.record_line) e.file_id, e.line from already_known_rows e
        where (select true from withdrawn_files limit 1) and e.record_file_id in ${withdrawn}
          and e.file_id not in ${withdrawn}
        order by e.record_file_id, e.record_line, e.file_id, e.line) first_row
        on first_row.file_id = k.file_id and first_row.line = k.line
      where coalesce(k.file_id is not null, false) offset 0`;
}

function keyColumns(tx: Tx) {
  return tx`r.merchant_account_id, r.settlement_currency, r.reconciliation_type, r.cashflow, r.currency,
    r.settlement_status, r.settlement_date, r.payment_type`;
}

function sumKeys(tx: Tx) {
  return tx`${keyColumns(tx)}, fee_place`;
}

/** What {@link sumsOf} and {@link isInRange} read of `r`. */
function columnsOfSums(tx: Tx): Fragment {
  return tx`${keyColumns(tx)}, r.amount_minor, r.settlement_amount_minor, r.settlement_fee_minor,
    r.settlement_fx_rate_hundredths`;
}

function sumsOf(tx: Tx) {
  return tx`${keyColumns(tx)}, ${feePlace(tx)} as fee_place, count(*)::int as count,
    sum(r.settlement_amount_minor)::text as settlement_amount, sum(r.amount_minor)::text as amount,
    coalesce(sum(r.settlement_fee_minor), 0)::text as settlement_fee`;
}

/** Whether record `r` is reported: a range includes only its own days of the files that touch it. */
export function isInRange(tx: Tx, scope: RunScope) {
  return scope.kind === 'run' ? tx`true` : tx`r.settlement_date between ${scope.from} and ${scope.to}`;
}
