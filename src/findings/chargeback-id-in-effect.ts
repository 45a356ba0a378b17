import type postgres from 'postgres';

type Tx = postgres.ISql<{ bigint: bigint }>;

/**
 * The chargeback id of a record, in SQL over `l` (chargeback_links): null of a record that does not count (design 4.8).
 * Not a condition of the join: without statistics, the planner would then compare each finding with each link.
 */
export function chargebackIdInEffect(tx: Tx) {
  return tx`case when l.active then l.chargeback_id end`;
}
