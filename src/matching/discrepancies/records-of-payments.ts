import type { Fragment, Tx } from '../fragment.js';

/**
 * The records that are matched to the given payments (a select of keys), as `r`, with their `payment_key` and what sums
 * and checks of payments read.
 *
 * `offset 0` keeps them apart from the payments. The planner treats a condition on a payment and a record, such as the
 * same currency, as a join. If it expects one payment, it combines this payment with every record, and all these with
 * the results of the payment: 3,000 records of one payment were 9,000,000 rows.
 */
export function recordsOfPayments(tx: Tx, paymentKeys: Fragment, condition: Fragment): Fragment {
  return tx`(
        select m.payment_key, r.file_id, r.line, r.fingerprint, r.occurrence, r.reconciliation_type, r.payment_type,
          r.settlement_date, r.settlement_tx_id, r.settlement_status, r.amount_minor, r.currency
        from record_matches m
        join settlement_records r on r.file_id = m.file_id and r.line = m.line
        where m.payment_key in (${paymentKeys}) and ${condition}
        offset 0) r`;
}
