import { fileIdArray, isAmongFiles } from '../../db/run-scope.js';
import type { FileId } from '../../values/ids.js';
import type { Fragment, Tx } from '../fragment.js';
import { typeFits } from '../type-fit.js';

/**
 * The due payments with a result to which a SETTLED record of a fitting type is matched. A record with SUCCESS is their
 * settlement. One with FAILED is not, but its own finding says so: SETTLEMENT_FAILED is open as long as no SUCCESS has
 * come.
 *
 * @param most whether most of what is stored is about these payments, as in a first run: then a join is quickest.
 *   Otherwise the records of each are looked up, because a join read the results of a year for the payments of a week.
 */
export function dueWithMatchedRecord(tx: Tx, most: boolean): Fragment {
  const records = most
    ? tx`join record_matches m on m.payment_key = d.key
      join settlement_records r on r.file_id = m.file_id and r.line = m.line`
    : tx`cross join lateral (select m.file_id, m.line from record_matches m where m.payment_key = d.key offset 0) m
      cross join lateral (select r.reconciliation_type, r.payment_type from settlement_records r
        where r.file_id = m.file_id and r.line = m.line limit 1) r`;
  return tx`
    select d.key from due_payments d
    ${records}
    where not d.is_pending and r.reconciliation_type = 'SETTLED' and ${typeFits(tx, tx`d.payment_type`)}`;
}

/** The due payments with a result that a SETTLED, SUCCESS record lists among its candidates. */
export function dueAmongCandidates(tx: Tx): Fragment {
  return tx`
    select c.payment_key from due_payments d
    join match_candidates c on c.payment_key = d.key
    join settlement_records r on r.file_id = c.file_id and r.line = c.line
    where not d.is_pending and r.reconciliation_type = 'SETTLED' and r.settlement_status = 'SUCCESS'`;
}

/** The look-up that is made for nearly all due payments names at most this many files. */
const mostFrequentFiles = 4;

/**
 * Lists in `results_of_due` the records that are matched to a due payment with a result, and those that list it.
 *
 * @returns their files: first the few that most of them are in, which are those of some days, then the others. A
 *   look-up that names its files is planned for their tables only. For each record, the server goes through the list
 *   of tables and through that of files, which takes longer: for 5,000 payments, 26 files took as long as 121 tables
 */
export async function listResultsOfDue(tx: Tx): Promise<readonly (readonly FileId[])[]> {
  await tx`create temp table results_of_due on commit drop as
    select d.key, d.payment_type, m.file_id, m.line, m.is_matched from due_payments d
    cross join lateral (
      select m.file_id, m.line, true as is_matched from record_matches m where m.payment_key = d.key
      union all
      select c.file_id, c.line, false from match_candidates c where c.payment_key = d.key offset 0) m
    where not d.is_pending`;
  const rows = await tx<{ id: FileId }[]>`
    select file_id as id from results_of_due group by file_id order by count(*) desc, file_id`;
  const files = rows.map(({ id }) => id);
  const others = files.slice(mostFrequentFiles);
  return others.length === 0 ? [files] : [files.slice(0, mostFrequentFiles), others];
}

/**
 * The payments of both, with one look-up for the records that are matched to a payment and those that list it: with
 * many tables of records, each look-up takes long to plan. Reads `results_of_due`.
 *
 * @param lists of {@link listResultsOfDue}
 */
export function dueWithSettlement(tx: Tx, lists: readonly (readonly FileId[])[]): Fragment {
  const parts = lists.map(
    (files, index) => tx`${index === 0 ? tx`` : tx`union all`}
      select d.key from results_of_due d
      cross join lateral (select r.reconciliation_type, r.payment_type, r.settlement_status from settlement_records r
        where ${isAmongFiles(tx, files)} and r.file_id = d.file_id and r.line = d.line limit 1) r
      where d.file_id = any (${fileIdArray(tx, files)}) and r.reconciliation_type = 'SETTLED'
        and case when d.is_matched then ${typeFits(tx, tx`d.payment_type`)} else r.settlement_status = 'SUCCESS' end`,
  );
  return tx`(${parts})`;
}

/**
 * The due payments with a result that a removed record was matched to, or listed. Without the record its kind is
 * unknown. But a month is removed only if no item about these payments is open, so none of them was missing its
 * settlement. A finding that was accepted before the month was removed is not closed. A finding that nobody ever
 * accepted came later, from a release that did not know of removed records, and is closed.
 */
export function dueWithRemovedRecord(tx: Tx): Fragment {
  return tx`
    select d.key from due_payments d
    cross join lateral (
      select m.file_id from record_matches m where m.payment_key = d.key
      union all
      select c.file_id from match_candidates c where c.payment_key = d.key offset 0) k
    join settlement_files f on f.id = k.file_id and f.status = 'retired'
    where not d.is_pending and not exists (select from discrepancies found
      join decisions a on a.item = found.id and a.kind = 'accept'
      where found.payment_key = d.key and found.code = 'MISSING_SETTLEMENT' and found.resolved_run is null)`;
}
