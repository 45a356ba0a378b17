import type { Tx } from '../fragment.js';
import { fullyReversed } from './reversed-payments.js';

/**
 * Narrows the scope down to what is worth a closer look, from `new_matches` before they are stored:
 *
 * - `suspect_records`: those that the first look did not find sound
 * - `reversed_payments`: those of their payments that are reversed in full
 * - `suspect_payments`: payments that are not simply settled by one sound record: those of a suspect record,
 *   those with several records, and those that a record was matched to before
 */
export async function listSuspects(tx: Tx): Promise<void> {
  await tx`create temp table suspect_records on commit drop as
    select file_id, line, status, payment_key from new_matches where not sound`;
  await tx`analyze suspect_records`;
  await tx`create temp table reversed_payments on commit drop as
    ${fullyReversed(tx, tx`select payment_key from suspect_records`)}`;
  await tx`analyze reversed_payments`;
  await tx`create temp table suspect_payments on commit drop as
    select payment_key from suspect_records where payment_key is not null
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

/** Payments that a record in scope is matched to now or was before, as a select of `payment_key`. */
export function touchedPayments(tx: Tx) {
  return tx`select payment_key from new_matches where payment_key is not null
    union all select former_payment_key from new_matches
    where former_payment_key is not null and former_payment_key is distinct from payment_key`;
}
