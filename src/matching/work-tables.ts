import type { Tx } from './fragment.js';

/**
 * The temporary tables in which one matching transaction hands its intermediate results from step to step:
 *
 * - `scope_records`: the records looked at, and the payment that their UniqueID names
 * - `undecided`, `key_hits`, `kept_hits`: the records whose UniqueID found nothing, what the weaker keys
 *   found, and what narrowing left of it
 * - `new_matches`: the result for every record looked at, with what is stored about it
 * - `new_links`: the chargeback ids given by this run
 * - `touched_payments`, `reversed_payments`, `suspect_records`, `suspect_payments`, `found`: what
 *   find-discrepancies.ts narrows down until only what is wrong is left
 *
 * They die with the transaction; a dry run, whose transactions are savepoints of one, drops them here.
 */
const workTables = [
  'scope_records',
  'undecided',
  'key_hits',
  'kept_hits',
  'new_matches',
  'new_links',
  'touched_payments',
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
