import type { Tx } from './fragment.js';

/**
 * The temporary tables in which one matching transaction hands its intermediate results from step to step:
 *
 * - `new_matches`: the result for every record looked at, whether it is sound, and what was stored about it
 * - `undecided`, `key_hits`, `kept_hits`: the records whose UniqueID found nothing, what the weaker keys
 *   found, and what narrowing left of it
 * - `new_links`: the chargeback ids given by this run
 * - `suspect_records`, `reversed_payments`, `suspect_payments`, `found`: what is narrowed down until only
 *   what is wrong is left
 *
 * They die with the transaction; a dry run, whose transactions are savepoints of one, drops them here.
 */
const workTables = [
  'undecided',
  'key_hits',
  'kept_hits',
  'new_matches',
  'new_links',
  'reversed_payments',
  'suspect_records',
  'suspect_payments',
  'found',
] as const;

/** Clears the desk, and sets what set-based statements over millions of rows need (notes, measurements). */
export async function prepareWorkTables(tx: Tx): Promise<void> {
  await tx`select set_config('client_min_messages', 'warning', true), set_config('jit', 'off', true),
    set_config('work_mem', '64MB', true), set_config('plan_cache_mode', 'force_custom_plan', true)`;
  for (const table of workTables) await tx`drop table if exists ${tx(`pg_temp.${table}`)}`;
}
