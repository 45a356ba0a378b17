import { areFewBesideRecords } from '../../db/look-up-records.js';
import { takesPart } from '../deliveries/takes-part.js';
import type { Fragment, Tx } from '../fragment.js';
import {
  eachOnce,
  hasRemovedSettlements,
  listStoredAgain,
  removedAndNotBack,
  removedAsRecords,
} from '../removed-settlements.js';

const columns = (tx: Tx) =>
  tx`r.file_id, r.line, r.fingerprint, r.occurrence, r.reconciliation_type, r.payment_type, r.settlement_date,
    r.settlement_tx_id, r.settlement_status, r.amount_minor, r.currency`;

const columnsOfStored = (tx: Tx) => tx`${columns(tx)}, false as is_removed`;

/** Selects records of payments, as `r`, with their `payment_key`: those that fulfil a condition over `r`. */
export type RecordsOfPayments = (condition: Fragment) => Fragment;

/**
 * The records that are matched to the given payments (a select of keys), with what sums and checks of payments read.
 *
 * `offset 0` keeps them apart from the payments. The planner treats a condition on a payment and a record, such as the
 * same currency, as a join. If it expects one payment, it combines this payment with every record, and all these with
 * the results of the payment: 3,000 records of one payment were 9,000,000 rows.
 */
export function recordsOfPayments(tx: Tx, paymentKeys: Fragment): RecordsOfPayments {
  return (condition) => tx`(
        select m.payment_key, ${columnsOfStored(tx)}
        from record_matches m
        join settlement_records r on r.file_id = m.file_id and r.line = m.line
        where m.payment_key in (${paymentKeys}) and ${condition}
        offset 0) r`;
}

/** The records of payments that take part in sums, with the removed settlements of these payments that do. */
export function recordsAndRemovedOfPayments(tx: Tx, paymentKeys: Fragment): RecordsOfPayments {
  return (condition) =>
    tx`${eachOnce(
      tx,
      tx`select r.* from ${recordsOfPayments(tx, paymentKeys)(condition)} where ${takesPart(tx)}
        union all
        select m.payment_key, ${columns(tx)}, r.is_removed
        from record_matches m join ${removedAndNotBack(tx)} on r.file_id = m.file_id and r.line = m.line
        where m.payment_key in (${paymentKeys}) and ${condition} and ${takesPart(tx)}`,
    )} r`;
}

/**
 * Lists the records of the payments whose records are added up, in `summed_records`. Three statements read them, and
 * with many tables of records each look-up of a record takes long to plan.
 */
export async function listSummedRecords(tx: Tx): Promise<void> {
  const payments = tx`select payment_key from summed_payments`;
  const records = (await areFewBesideRecords(tx, payments))
    ? tx`select m.payment_key, ${columnsOfStored(tx)} from (
        select m.payment_key, m.file_id, m.line from record_matches m where m.payment_key in (${payments}) offset 0) m
      cross join lateral (select r.* from settlement_records r
        where r.file_id = m.file_id and r.line = m.line limit 1) r`
    : tx`select r.* from ${recordsOfPayments(tx, payments)(tx`true`)}`;
  await tx`create temp table summed_records on commit drop as ${records}`;
  await tx`create index on pg_temp.summed_records (payment_key)`;
  if (await hasRemovedSettlements(tx)) await addRemovedSettlements(tx);
  await tx`analyze summed_records (payment_key, reconciliation_type, settlement_status)`;
}

/**
 * Adds the removed settlements of these payments that take part, except those that a file has brought again and that
 * take part as stored records. A settlement may have been removed twice, and only one of the two may take part.
 */
async function addRemovedSettlements(tx: Tx): Promise<void> {
  const results = tx`summed_payments s
      cross join lateral (select m.* from record_matches m where m.payment_key = s.payment_key offset 0) m`;
  await listStoredAgain(tx, tx`select m.file_id, m.line from ${results}`);
  const removed = tx`select m.payment_key, ${columns(tx)}, r.is_removed
      from ${results}
      cross join lateral (select r.* from ${removedAsRecords(tx)}
        where r.file_id = m.file_id and r.line = m.line limit 1) r
      where ${takesPart(tx)} and not exists (
        select from stored_again a where a.file_id = r.file_id and a.line = r.line)`;
  await tx`insert into summed_records select d.* from ${eachOnce(tx, removed)} d`;
}

/** The rows of `summed_records`, kept apart from the payments as in {@link recordsOfPayments}. */
export function summedRecords(tx: Tx): RecordsOfPayments {
  return (condition) => tx`(select r.* from summed_records r where ${condition} offset 0) r`;
}
