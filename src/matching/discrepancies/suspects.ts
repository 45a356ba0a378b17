import type { Fragment, Tx } from '../fragment.js';
import { fullyReversed } from './reversed-payments.js';

/**
 * The records that the first look did not find sound, whole, with the payment of a match still to be found for
 * those that are `undecided`: a few in a hundred, which everything that follows reads instead of the million.
 */
export async function listSuspectRecords(tx: Tx): Promise<void> {
  await tx`create temp table suspect_records on commit drop as
    select r.*, n.status = 'NOT_MATCHED' and not n.pinned as undecided
    from new_matches n join settlement_records r on r.file_id = n.file_id and r.line = n.line
    where not n.sound`;
  // What the weaker keys join by: to sample forty columns takes as long as to list the records.
  await tx`analyze suspect_records (file_id, line, undecided, reconciliation_type, short_id, connector_tx_id1,
    connector_tx_id2, connector_tx_id3, merchant_account_id, amount_minor, account_number_last4)`;
}

/**
 * Narrows the payments down to those that are not simply settled by one sound record, once all matches are
 * known and before they are stored: those of a suspect record, those with several records, and those that a
 * record was matched to before. Of the first, those reversed in full are noted.
 */
export async function listSuspectPayments(tx: Tx): Promise<void> {
  const ofSuspectRecords = tx`select payment_key from new_matches where not sound and payment_key is not null`;
  await tx`create temp table reversed_payments on commit drop as ${fullyReversed(tx, ofSuspectRecords)}`;
  await tx`analyze reversed_payments`;
  await tx`create temp table suspect_payments on commit drop as
    ${ofSuspectRecords}
    union
    select former_payment_key from new_matches
    where former_payment_key is not null and former_payment_key is distinct from payment_key
    union
    select payment_key from new_matches where payment_key is not null
    group by payment_key having count(*) > 1
    union
    select n.payment_key from new_matches n join record_matches m on m.payment_key = n.payment_key
    where (m.file_id, m.line) <> (n.file_id, n.line)`;
  await tx`analyze suspect_payments`;
}

/**
 * Those of the given payments (a select of `payment_key`) that a record in scope is matched to now or was
 * before. The given ones must be few: they are joined with the million, not the million with them.
 */
export function touchedAmong(tx: Tx, payments: Fragment): Fragment {
  return tx`
    select g.payment_key from (${payments}) g join new_matches n on n.payment_key = g.payment_key
    union
    select g.payment_key from (${payments}) g join new_matches n on n.former_payment_key = g.payment_key`;
}
