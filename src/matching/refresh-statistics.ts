import type { Tx } from './fragment.js';

/** Columns that conditions are about; the others of a wide table are sampled in vain. Empty: all of them. */
const askedAbout = {
  payments: '',
  settlement_records:
    '(file_id, line, fingerprint, occurrence, reconciliation_type, payment_type, unique_id, currency, settlement_date)',
  record_matches: '',
  discrepancies: '',
} as const;

/**
 * Tells the planner about rows that an import, a load or this transaction has added, when a table has never
 * been looked at, a tenth of it is new, or fifty thousand rows are: a sample is taken in half a second
 * whatever the size of the table, and a plan for one row takes minutes for a million. The server does it by
 * itself minutes later; until then it believes that a million rows are a few hundred and joins them one by one
 * (measured: minutes instead of a second). A night that adds little to much skips it.
 */
export async function refreshStatistics(tx: Tx, table: keyof typeof askedAbout): Promise<void> {
  const [stale] = await tx`select from pg_class c
    where c.oid = ${table}::regclass and (
      pg_relation_size(c.oid) > 1.1 * c.relpages * current_setting('block_size')::bigint
      or pg_stat_get_mod_since_analyze(c.oid) > least(50000, 0.1 * c.reltuples)
      or not exists (select from pg_stats s where s.schemaname = 'public' and s.tablename = c.relname))`;
  // Both come from the list above.
  if (stale !== undefined) await tx.unsafe(`analyze ${table} ${askedAbout[table]}`);
}
