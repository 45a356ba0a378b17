import type { Sql, Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { StoredPayment } from './payment-content.js';
import { readPayment, selectPayment, type PaymentRow } from './payment-document.js';

/** The payments with these ids that the caller may see in the core's environment, in no particular order. */
async function findPayments(
  context: CoreContext,
  sql: Sql | Tx,
  ids: readonly string[],
  caller: Caller,
): Promise<StoredPayment[]> {
  const rows = await sql<PaymentRow[]>`
    select ${selectPayment(sql)}
    from payments p left join payment_details d on d.payment_key = p.key
    -- An array, because the planner expects a hundred rows of a set and then reads the whole table.
    where p.id = any (array(select jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) collate "C"))
      and ${isVisible(sql, context, caller)}`;
  return rows.map(readPayment);
}

/** The payment with this id, if the caller may see it. */
export async function findStoredPayment(
  context: CoreContext,
  sql: Sql | Tx,
  id: string,
  caller: Caller,
): Promise<StoredPayment | undefined> {
  const [found] = await findPayments(context, sql, [id], caller);
  return found;
}

/** A condition: belongs to this environment (imported payments belong to both) and to the caller's entities. */
export function isVisible(sql: Sql | Tx, context: CoreContext, caller: Caller) {
  const entities = caller.entityIds === undefined ? null : JSON.stringify(caller.entityIds);
  return sql`coalesce(d.environment, ${context.environment}::text) = ${context.environment}::text
    and (${entities}::text is null
      or p.entity_id in (select jsonb_array_elements_text(${entities}::text::jsonb) collate "C"))`;
}
