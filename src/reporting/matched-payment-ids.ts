import type { Tx } from '../db/connect.js';

/**
 * MatchedTransactions of a record over `m` (record_matches), in SQL: the id of its payment, or those of all
 * its candidates ascending and separated by commas; null without any. The payments are only looked at row
 * by row: most reports need few of them, and those need an index and not a join of everything.
 */
export function matchedPaymentIds(tx: Tx) {
  return tx`case m.status
    when 'MATCHED' then (select paid.id from payments paid where paid.key = m.payment_key)
    when 'MULTIPLE_MATCHES' then (
      select string_agg(paid.id, ',' order by paid.id collate "C")
      from match_candidates c join payments paid on paid.key = c.payment_key
      where c.file_id = m.file_id and c.line = m.line)
    end`;
}
