import type { Tx } from '../fragment.js';
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
  await tx`create index on pg_temp.suspect_records (file_id, line)`;
  // What the weaker keys join by: to sample forty columns takes as long as to list the records.
  await tx`analyze suspect_records (file_id, line, undecided, reconciliation_type, short_id, connector_tx_id1,
    connector_tx_id2, connector_tx_id3, merchant_account_id, amount_minor, account_number_last4)`;
}

/**
 * Narrows the payments down to those that are not simply settled by one sound record, once all matches are
 * known and before they are stored: those of a suspect record, those with several records, and those that a
 * record was matched to before. Those of them that are reversed in full are noted.
 */
export async function listSuspectPayments(tx: Tx): Promise<void> {
  await tx`create temp table suspect_payments (payment_key bigint primary key) on commit drop`;
  await tx`insert into suspect_payments
    select payment_key from new_matches where not sound and payment_key is not null
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
  await tx`create temp table reversed_payments (payment_key bigint primary key) on commit drop`;
  await tx`insert into reversed_payments
    ${fullyReversed(tx, tx`select payment_key from suspect_payments`)}`;
  await tx`analyze reversed_payments`;
}
