import type { Tx } from './client.js';

/**
 * Plans for millions of rows, made for the given values, until the transaction ends. The embedded server says how much
 * memory each step may use, which depends on the machine (`embedded/server-settings.ts`).
 */
export async function planForMillions(tx: Tx): Promise<void> {
  await tx`select set_config('jit', 'off', true),
    set_config('work_mem', coalesce(current_setting('recon.work_mem', true), '64MB'), true),
    set_config('plan_cache_mode', 'force_custom_plan', true)`;
}
