import type { Tx } from './fragment.js';

/**
 * Tells the planner about rows that an import, a load or this transaction has added, when a table has never
 * been looked at, a tenth of it is new, or fifty thousand rows are: a sample is taken in half a second
 * whatever the size of the table, and a plan for one row takes minutes for a million. The server does it by
 * itself minutes later; until then it believes that a million rows are a few hundred and joins them one by one
 * (measured: minutes instead of a second). A night that adds little to much skips it.
 */
export async function refreshStatistics(
  tx: Tx,
  table: 'payments' | 'settlement_records' | 'record_matches' | 'discrepancies',
): Promise<void> {
  const [stale] = await tx`select from pg_class c
    where c.oid = ${table}::regclass and (
      pg_relation_size(c.oid) > 1.1 * c.relpages * current_setting('block_size')::bigint
      or pg_stat_get_mod_since_analyze(c.oid) > least(50000, 0.1 * c.reltuples)
      or not exists (select from pg_stats s where s.schemaname = 'public' and s.tablename = c.relname))`;
  // The whole row: a list of columns is quicker, but the server then goes on counting the table as changed.
  if (stale !== undefined) await tx`analyze ${tx(table)}`;
}
