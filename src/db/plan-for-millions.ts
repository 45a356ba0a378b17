import type { Tx } from './client.js';

/** Plans for millions of rows, made for the given values, until the transaction ends. */
export async function planForMillions(tx: Tx): Promise<void> {
  await tx`select set_config('jit', 'off', true), set_config('work_mem', '64MB', true),
    set_config('plan_cache_mode', 'force_custom_plan', true)`;
}
