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
  const stale = await tx<{ name: string }[]>`select c.relname as name from pg_class c
    where c.relkind = 'r' and (c.oid = ${table}::regclass
      or c.oid in (select inhrelid from pg_inherits where inhparent = ${table}::regclass))
    and (pg_relation_size(c.oid) > 1.1 * c.relpages * current_setting('block_size')::bigint
      or pg_stat_get_mod_since_analyze(c.oid) > least(50000, 0.1 * c.reltuples)
      or not ${hasStatistics(tx)})`;
  // The whole row: a list of columns is quicker, but the server then goes on counting the table as changed.
  for (const { name } of stale) await tx`analyze ${tx(name)}`;
  if (stale.length > 0) await refreshStatisticsOfParts(tx, table);
}

/** A divided table has statistics of its own besides those of its parts, which no server renews by itself. */
async function refreshStatisticsOfParts(tx: Tx, table: string): Promise<void> {
  const [stale] = await tx<{ version: number }[]>`
    select current_setting('server_version_num')::integer as version from pg_class c
    where c.oid = ${table}::regclass and c.relkind = 'p' and (not ${hasStatistics(tx)}
      or c.reltuples * 1.1 < (select sum(part.reltuples) from pg_inherits i join pg_class part on part.oid = i.inhrelid
        where i.inhparent = c.oid))`;
  if (stale === undefined) return;
  // Servers before 18 go through every part once more.
  await (stale.version >= 180_000 ? tx`analyze only ${tx(table)}` : tx`analyze ${tx(table)}`);
}

function hasStatistics(tx: Tx) {
  return tx`exists (select from pg_stats s where s.schemaname = 'public' and s.tablename = c.relname)`;
}
