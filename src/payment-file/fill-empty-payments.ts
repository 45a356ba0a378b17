import type { Sql, Tx } from '../db/client.js';
import { sampleRows } from '../db/sample-rows.js';

/**
 * Fills the empty payments table quickly: drops its secondary indexes and builds the same indexes again after the rows
 * are stored (one sort each instead of millions of single insertions). This happens within the caller's transaction,
 * which must be rolled back when this throws: a duplicate id (23505) is found when the unique index is built; 55P03
 * means that the table is in use, 42501 that another role owns it.
 *
 * @returns false, with nothing done, when the table is not empty
 */
export async function fillEmptyPayments(
  tx: Tx,
  copyInto: (target: string) => Promise<void>,
): Promise<boolean> {
  if (await hasPayments(tx)) return false;
  await tx`select set_config('lock_timeout', '5s', true)`;
  await tx`lock table payments in access exclusive mode`;
  // Another session may have stored one while this one waited for the lock.
  if (await hasPayments(tx)) return false;
  const indexes = await tx<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    where i.indrelid = 'payments'::regclass and not i.indisprimary
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
    order by i.indisunique desc, i.indexrelid`;
  for (const { name } of indexes) await tx.unsafe(`drop index ${name}`);
  await copyInto('payments');
  for (const { definition } of indexes) await tx.unsafe(definition);
  await sampleRows(tx, 9000, tx`payments`);
  return true;
}

/**
 * Vacuums the filled table after the commit. Otherwise the first run would write each page that it reads. A failure
 * here does not affect the stored payments: a locked table is skipped.
 */
export async function settleFilledPayments(sql: Sql): Promise<void> {
  await sql`vacuum (skip_locked) payments`.catch(() => undefined);
}

async function hasPayments(tx: Tx): Promise<boolean> {
  return (await tx`select from payments limit 1`).length > 0;
}
