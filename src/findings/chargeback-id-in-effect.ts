import type { Reader } from '../db/client.js';

/**
 * The chargeback id of a record, in SQL over `l` (chargeback_links): null of a record that does not count (design 4.8).
 * Not a condition of the join: without statistics, the planner would then compare each finding with each link.
 */
export function chargebackIdInEffect(tx: Reader) {
  return tx`case when l.active then l.chargeback_id end`;
}
