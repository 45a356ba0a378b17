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

/**
 * The payments of both, with one look-up for the records that are matched to a payment and those that list it: with
 * many tables of records, each look-up takes long to plan.
 */
export function dueWithSettlement(tx: Tx): Fragment {
  return tx`
    select d.key from due_payments d
    cross join lateral (
      select m.file_id, m.line, true as is_matched from record_matches m where m.payment_key = d.key
      union all
      select c.file_id, c.line, false from match_candidates c where c.payment_key = d.key offset 0) m
    cross join lateral (select r.reconciliation_type, r.payment_type, r.settlement_status from settlement_records r
      where r.file_id = m.file_id and r.line = m.line limit 1) r
    where not d.is_pending and r.reconciliation_type = 'SETTLED'
      and case when m.is_matched then ${typeFits(tx, tx`d.payment_type`)} else r.settlement_status = 'SUCCESS' end`;
}

/** Whether the records of any file were removed by `recon retire` or `recon purge`. */
export async function hasRemovedRecords(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ removed: boolean }[]>`
    select exists (select from settlement_files where status = 'retired') as removed`;
  return row?.removed === true;
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
