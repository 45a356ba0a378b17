import type { Sql, Tx } from '../db/client.js';

/**
 * Fills the empty table of payments the fast way: its secondary indexes are taken away, built again when the
 * rows are in (one sort each instead of millions of single insertions) and are the same afterwards. All within
 * the caller's transaction, which must be rolled back when this throws: a doubled id (23505) shows when the
 * unique index is built, a table in use as 55P03, missing ownership as 42501.
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
  // Somebody may have stored one while we waited for the lock.
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
  return true;
}

/**
 * Goes over the filled table once, after the commit: marks every row as seen by all and takes the statistics. The
 * first night would otherwise write each page that it reads. The payments are stored whatever becomes of this: a
 * table that is locked is left alone, and a run takes statistics that it finds missing.
 */
export async function settleFilledPayments(sql: Sql): Promise<void> {
  await sql`vacuum (analyze, skip_locked) payments`.catch(() => undefined);
}

async function hasPayments(tx: Tx): Promise<boolean> {
  return (await tx`select from payments limit 1`).length > 0;
}
