import {
  fileIdArray,
  fileIdsInScope,
  filesInScope,
  isAmongFiles,
  isPaymentDueInScope,
  openFindingsInScope,
  type DueSettings,
  type RunScope,
} from '../../db/run-scope.js';
import type { Fragment, Tx } from '../../db/client.js';
import { areOpenFindingsFew } from '../../db/look-up-records.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { paymentWideCodes, paymentWideSums } from '../../findings/discrepancy-codes.js';
import type { FileId } from '../../values/ids.js';
import { isRecordInScope } from './rows-in-scope.js';

/**
 * The open discrepancies that a run may report (design 4.6): a fragment that selects all columns of `discrepancies`,
 * each row once. The one definition behind the counts and `discrepancies.csv`. They are those on
 *
 * - the records in scope;
 * - payments without a settlement: for a range those that are due in it, for a run all, of which {@link isReported}
 *   chooses;
 * - other records of the same payments, for the findings that sum over a payment's records: a settlement in scope can
 *   complete or exceed the amount together with a record of an earlier run, a chargeback likewise, and the finding is
 *   then about the last of these records, whichever file it is in;
 * - other records about which the run itself found something new or different: a record in scope that no longer belongs
 *   to their payment leaves no other trace.
 *
 * The four never overlap, so they are whole rows and no `union` of ids: to join the discrepancies again took a third
 * of the time of `discrepancies.csv`, and half of that of the counts.
 *
 * @param fileIds of `fileIdsInScope`, as {@link joiningRows} returns them
 */
export function discrepanciesInScope(tx: Tx, scope: RunScope, due: DueSettings, fileIds: readonly FileId[]) {
  return tx`
    ${openFindingsInScope(tx, scope, fileIds)}
    union all
    ${findingsOfPayments(tx, scope, due)}
    union all
    select d.* from discrepancies d where d.id in (
      ${onSiblings(tx, scope, fileIds)}
      ${scope.kind === 'run' ? tx`union ${foundElsewhere(tx, scope)}` : tx``})`;
}

/**
 * What the run was the first to find, or changed or reopened, on records that are not in its scope. A range has none:
 * its second re-run finds nothing new, and has to report the same. Open and accepted findings are selected apart,
 * because each of the two has an index. `union` would sort all findings of the run, of which nearly none remain.
 */
function foundElsewhere(tx: Tx, scope: Extract<RunScope, { kind: 'run' }>) {
  const { runId } = scope;
  return tx`select d.id from (
      select id, file_id, line from discrepancies where first_seen_run = ${runId} and not is_settled
      union all
      select id, file_id, line from discrepancies
      where first_seen_run = ${runId} and resolved_run is null and accepted_at_risk_minor is not null
      union all
      select f.id, f.file_id, f.line from discrepancy_changes c join discrepancies f on f.id = c.id
      where c.run_id = ${runId} and f.resolved_run is null) d
    where d.file_id is not null and not ${isOnRecordInScope(tx, scope, [])}`;
}

/**
 * The payments of a range are read and joined, as the lines of its days are in {@link openFindingsInScope}. A run
 * reports on the payments of the whole look-back, so those that are due are not worth a list.
 */
function findingsOfPayments(tx: Tx, scope: RunScope, due: DueSettings) {
  if (scope.kind === 'run') {
    return tx`select d.* from discrepancies d where d.resolved_run is null and d.file_id is null`;
  }
  return tx`select d.* from (select * from discrepancies where resolved_run is null and file_id is null) d
    full join (select p.key from payments p where ${isPaymentDueInScope(tx, scope, due)}) p on p.key = d.payment_key
    where coalesce(d.id is not null and p.key is not null, false)`;
}

/**
 * Whether the run reports the discrepancy `d` of {@link discrepanciesInScope}, over its payment `p`, which a statement
 * has joined anyway: looking up the payment of each missing settlement once more took a sixth of the time.
 */
export function isReported(tx: Tx, scope: RunScope, due: DueSettings) {
  return tx`(d.file_id is not null or ${isPaymentDueInScope(tx, scope, due)})`;
}

/** A left join of a finding with one row of a table, under the name that stands for it. */
export type JoinRow = (
  table: 'settlement_records' | 'record_matches' | 'chargeback_links' | 'payments',
  alias: 'r' | 'm' | 'l' | 'p',
  condition: Fragment,
) => Fragment;

/**
 * How a statement joins the discrepancies `d` of {@link discrepanciesInScope} with the rows that they are about.
 *
 * Of a range they are looked up one by one, with `limit 1`. The planner cannot know how few of the open findings
 * belong to the days: it expected 30,000 instead of 188, and read all records, results and payments to join them. For a
 * range with all 15,000 findings, the look-ups took no longer than the joins. A run may report most of what is open, so
 * it joins; but if the open findings are few beside the records, it looks these up ({@link areOpenFindingsFew}). With
 * shards, a look-up would be a round trip.
 *
 * @returns also the files in scope, for {@link discrepanciesInScope}
 */
export async function joiningRows(
  tx: Tx,
  scope: RunScope,
): Promise<{ readonly join: JoinRow; readonly fileIds: readonly FileId[] }> {
  const looksUp = scope.kind === 'range' && !(await isDivided(tx));
  const looksUpRecords = looksUp || (await areOpenFindingsFew(tx));
  return {
    fileIds: await fileIdsInScope(tx, scope),
    join: (table, alias, condition) =>
      (table === 'settlement_records' ? looksUpRecords : looksUp)
        ? tx`left join lateral (select ${tx(alias)}.* from ${tx(table)} ${tx(alias)} where ${condition} limit 1)
            ${tx(alias)} on true`
        : tx`left join ${tx(table)} ${tx(alias)} on ${condition}`,
  };
}

/**
 * Starts with the open findings of those codes, which are few beside the records in scope. `offset 0`: see
 * {@link openFindingsInScope}. Each payment is looked up once: a thousand findings about the records of one payment
 * would each be joined with all its records. The full join is never a loop within a loop.
 */
function onSiblings(tx: Tx, scope: RunScope, fileIds: readonly FileId[]) {
  const others = tx`select d.id, own.payment_key, ${numberOfSum(tx, 'codes', tx`d.code`)} as sum from discrepancies d
    join record_matches own on own.file_id = d.file_id and own.line = d.line
    where d.resolved_run is null and d.code in ${tx([...paymentWideCodes])}
      and not ${isOnRecordInScope(tx, scope, fileIds)}`;
  const candidates = scope.kind === 'run' ? paymentsInScope(tx, scope) : tx`others`;
  // A record is looked up only if its file has records of the range, which most of what is open has not. The condition
  // is within the look-up, so that no plan begins with all results of these files.
  const files = fileIdArray(tx, fileIds);
  const inFiles =
    scope.kind === 'run' ? tx`` : tx`and m.file_id = any (${files}) and ${isAmongFiles(tx, fileIds)}`;
  return tx`(with others as materialized (${others}), shared as materialized (
      select distinct d.payment_key, s.sum from (select distinct payment_key from ${candidates} o) d
      join record_matches m on m.payment_key = d.payment_key
      cross join lateral (select r.file_id, r.line, r.reconciliation_type, r.settlement_date
        from settlement_records r where r.file_id = m.file_id and r.line = m.line ${inFiles} limit 1) r
      cross join lateral (select ${numberOfSum(tx, 'reconciliationTypes', tx`r.reconciliation_type`)} as sum) s
      where s.sum is not null and ${isRecordInScope(tx, scope)})
    select d.id from others d full join shared on shared.payment_key = d.payment_key and shared.sum = d.sum
    where coalesce(d.id is not null and shared.payment_key is not null, false))`;
}

/** The number of the sum that a code is about, or to which a type of records belongs; null if there is none. */
function numberOfSum(tx: Tx, of: 'codes' | 'reconciliationTypes', value: Fragment) {
  const cases = paymentWideSums.map(
    (sums, index) => tx`when ${value} in ${tx([...sums[of]])} then ${tx.unsafe(`${index}`)}`,
  );
  return tx`case ${cases} end`;
}

/**
 * The payments of `others` that have a record in scope, as most of what a year left open has none: looking up all
 * records of each of their payments took a third of the time of the counts. `intersect` is never a loop within a loop.
 * It stands alone: as the list of an `in`, it was asked again for each of `others`, of which the planner expected one,
 * and each time it walks through all of its rows (13 s for 20,000 findings).
 */
function paymentsInScope(tx: Tx, scope: Extract<RunScope, { kind: 'run' }>) {
  return tx`(select payment_key from others
      intersect
      (select m.payment_key from record_matches m where m.file_id = any (array(${filesInScope(tx, scope)}))
        union all
        select m.payment_key from run_rechecks c
        cross join lateral (select m.payment_key from record_matches m
          where m.file_id = c.file_id and m.line = c.line offset 0) m
        where c.run_id = ${scope.runId}))`;
}

/** Whether {@link openFindingsInScope} selects the finding `d`. */
function isOnRecordInScope(tx: Tx, scope: RunScope, fileIds: readonly FileId[]) {
  return scope.kind === 'run'
    ? tx`(d.file_id = any (array(${filesInScope(tx, scope)})) or exists (select from run_rechecks c
        where c.run_id = ${scope.runId} and c.file_id = d.file_id and c.line = d.line))`
    : tx`(d.file_id = any (${fileIdArray(tx, fileIds)}) and exists (select from settlement_records r
        where ${isAmongFiles(tx, fileIds)} and r.file_id = d.file_id and r.line = d.line
          and r.settlement_date between ${scope.from} and ${scope.to}))`;
}
