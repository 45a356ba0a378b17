import type postgres from 'postgres';

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/**
 * MatchedTransactions of a record (column 35) over `m` (record_matches), in SQL: the id of its payment, or those of all
 * its candidates ascending and separated by commas; null without any.
 *
 * @param paymentId the id of the payment of a MATCHED record, where the statement has joined it. By default it is
 *   looked up row by row: most reports need few ids, and those need an index and not a join of everything.
 * @param payments the table with the payments
 */
export function matchedPaymentIds(
  tx: postgres.ISql<{ bigint: bigint }>,
  paymentId?: Fragment,
  payments: Fragment = tx`payments`,
): Fragment {
  return tx`(case m.status
    when 'MATCHED' then ${paymentId ?? tx`(select paid.id from ${payments} paid where paid.key = m.payment_key)`}
    when 'MULTIPLE_MATCHES' then (
      select string_agg(paid.id, ',' order by paid.id collate "C")
      from match_candidates c join ${payments} paid on paid.key = c.payment_key
      where c.file_id = m.file_id and c.line = m.line)
    end)`;
}
