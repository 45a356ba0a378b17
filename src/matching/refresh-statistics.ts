import { askShards, awaitAnswers } from '../db/shards/on-shards.js';
import { sampleRows } from '../db/sample-rows.js';
import type { Tx } from './fragment.js';

/**
 * Refreshes the planner's statistics after an import, a load or this transaction has added rows: if a table was never
 * analysed, or if a tenth of it or fifty thousand rows are new. A sample takes a sixth of a second whatever the size of
 * the table (one of the usual size half a second), and a plan for one row takes minutes for a million. The server
 * refreshes them minutes later. Until then it assumes that a million rows are a few hundred, and joins them one by one
 * (measured: minutes instead of a second). A run that adds little to a large table skips it. This server does not know
 * how much a shard has changed, so each shard analyses a small sample of its rows each time, and the home server then
 * analyses a sample of all.
 */
export async function refreshStatistics(tx: Tx, table: AnalyzedTable): Promise<void> {
  const stale = await tx<{ name: string; own: boolean; foreign: boolean }[]>`
    select c.relname as name, p.own_file is true as own, c.relkind = 'f' as foreign
    from (select ${table}::regclass::oid as oid
      union all select inhrelid from pg_inherits where inhparent = ${table}::regclass) t
    cross join lateral (select c.* from pg_class c where c.oid = t.oid offset 0) c
    left join record_parts p on c.relname = ${table} || '_' || p.first_file_id
    where c.relkind in ('r', 'f')
    and (c.relkind = 'f' or pg_relation_size(c.oid) > 1.1 * c.relpages * current_setting('block_size')::bigint
      or p.own_file is not true and pg_stat_get_mod_since_analyze(c.oid) > least(50000, 0.1 * c.reltuples)
      or not ${hasStatistics(tx)})`;
  if (stale.some(({ foreign }) => foreign)) await analyzeOnShards(tx, table);
  for (const { name, own } of stale) {
    if (own) await sampleOwnPart(tx, table, name);
    // All columns: a list of columns is quicker, but the server then still counts the table as changed. A part of the
    // records grows by a tenth in two of three nights of a month, and joins use the statistics of all parts.
    else await sampleRows(tx, table === 'settlement_records' ? 3000 : 9000, tx`${tx(name)}`);
  }
  if (stale.length > 0) await refreshStatisticsOfParts(tx, table);
}

/**
 * Refreshes the statistics of a table of candidates if this transaction has added more than a tenth of its rows. After
 * all of them were deleted, the server may have noted that the table is empty. It would then read all of it for each
 * record.
 */
export async function refreshCandidateStatistics(
  tx: Tx,
  table: 'match_candidates' | 'room_candidates',
  added: number,
): Promise<void> {
  if (added === 0) return;
  const [found] = await tx<{ isStale: boolean }[]>`
    select ${added} > 0.1 * reltuples as "isStale" from pg_class where oid = ${table}::regclass`;
  if (found?.isStale === true) await sampleRows(tx, 9000, tx`${tx(table)}`);
}

/** Without statistics, a shard reads its whole table for each look-up, and the home server fetches it for a sample. */
async function analyzeOnShards(tx: Tx, table: AnalyzedTable): Promise<void> {
  const own = table === 'settlement_records' ? 'settlement_records_1' : table;
  await askShards(tx, {
    inputs: [],
    step: `select set_config('default_statistics_target', '30', true); analyze public.${own}`,
    answer: `select ''::text where false`,
  });
  await awaitAnswers(tx);
}

type AnalyzedTable =
  'payments' | 'settlement_records' | 'record_matches' | 'chargeback_links' | 'discrepancies';

/** What statements filter, join or group by. */
const analyzedColumns: Partial<Record<AnalyzedTable, readonly string[]>> = {
  settlement_records: [
    'file_id',
    'line',
    'reconciliation_type',
    'payment_type',
    'merchant_account_id',
    'unique_id',
    'short_id',
    'connector_tx_id1',
    'connector_tx_id2',
    'connector_tx_id3',
    'amount_minor',
    'currency',
    'settlement_currency',
    'settlement_date',
    'settlement_status',
    'account_number_last4',
  ],
};

/**
 * The table of one large file is filled once and then hardly changes, so it is sampled once, and a few thousand rows
 * are enough: joins use the statistics of the whole table. A full sample took a third of a second for each file.
 */
async function sampleOwnPart(tx: Tx, table: AnalyzedTable, name: string): Promise<void> {
  await sampleRows(tx, 3000, tx`${tx(name)} ${columnsOf(tx, table)}`);
}

function columnsOf(tx: Tx, table: AnalyzedTable) {
  const columns = analyzedColumns[table];
  return columns === undefined ? tx`` : tx`(${tx([...columns])})`;
}

/** A divided table has statistics besides those of its parts, and no server refreshes them automatically. */
async function refreshStatisticsOfParts(tx: Tx, table: AnalyzedTable): Promise<void> {
  const [stale] = await tx<{ version: number }[]>`
    select current_setting('server_version_num')::integer as version from pg_class c
    where c.oid = ${table}::regclass and c.relkind = 'p' and (not ${hasStatistics(tx)}
      or c.reltuples * 1.1 < (select sum(part.reltuples) from pg_inherits i join pg_class part on part.oid = i.inhrelid
        where i.inhparent = c.oid))`;
  if (stale === undefined) return;
  // Servers before 18 analyse every part again.
  const whole = stale.version >= 180_000 ? tx`only ${tx(table)}` : tx`${tx(table)}`;
  await sampleRows(tx, 9000, tx`${whole} ${columnsOf(tx, table)}`);
}

/**
 * A value and not `exists`, for which the server reads the statistics of every column of the database: three
 * milliseconds, five times in each run.
 */
function hasStatistics(tx: Tx) {
  return tx`((select 1 from pg_stats s where s.schemaname = 'public' and s.tablename = c.relname limit 1) is not null)`;
}
