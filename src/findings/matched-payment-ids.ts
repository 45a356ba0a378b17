import type { Fragment, Reader } from '../db/client.js';
import { lookedUpCandidates } from './candidate-ids.js';

/**
 * MatchedTransactions of a record (column 35) over `m` (record_matches), in SQL: the id of its payment, or those of all
 * its candidates ascending and separated by commas; null without any.
 *
 * @param paymentId the id of the payment of a MATCHED record, where the statement has joined it. By default it is
 *   looked up row by row: most reports need few ids, and those need an index and not a join of everything.
 * @param payments the table with the payments
 * @param candidates the ids of the candidates, where the statement reads them together
 */
export function matchedPaymentIds(
  tx: Reader,
  paymentId?: Fragment,
  payments: Fragment = tx`payments`,
  candidates: Fragment = lookedUpCandidates(tx, payments),
): Fragment {
  return tx`(case m.status
    when 'MATCHED' then ${paymentId ?? tx`(select paid.id from ${payments} paid where paid.key = m.payment_key)`}
    when 'MULTIPLE_MATCHES' then ${candidates}
    end)`;
}
