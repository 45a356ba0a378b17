import type { Tx } from './fragment.js';

/**
 * The temporary tables in which one matching transaction hands its intermediate results from step to step:
 *
 * - `new_matches`: the result for every record looked at, whether it is sound, and what was stored about it
 * - `suspect_records`: those that are not sound, whole
 * - `key_hits`, `kept_hits`: what the weaker keys found for them, and what narrowing left of it
 * - `suspect_payments`, `reversed_payments`: payments whose records are worth adding up
 * - `new_links`: the chargeback ids given by this run
 * - `found`: everything that is wrong
 *
 * They die with the transaction; a dry run, whose transactions are savepoints of one, drops them here.
 */
const workTables = [
  'new_matches',
  'suspect_records',
  'key_hits',
  'kept_hits',
  'suspect_payments',
  'reversed_payments',
  'new_links',
  'found',
] as const;

/** Clears the desk, and sets what set-based statements over millions of rows need (notes, measurements). */
export async function prepareWorkTables(tx: Tx): Promise<void> {
  await tx`select set_config('client_min_messages', 'warning', true), set_config('jit', 'off', true),
    set_config('work_mem', '64MB', true), set_config('plan_cache_mode', 'force_custom_plan', true)`;
  for (const table of workTables) await tx`drop table if exists ${tx(`pg_temp.${table}`)}`;
}
