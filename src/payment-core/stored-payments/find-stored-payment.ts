import type { Sql, Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import type { StoredPayment } from './payment-content.js';
import { environmentOfPayment, readPayment, selectPayment, type PaymentTextRow } from './payment-document.js';

/** The payment with this id, if it belongs to the core's environment and the caller may see it. */
export async function findStoredPayment(
  context: CoreContext,
  sql: Sql | Tx,
  id: string,
  caller: Caller,
): Promise<StoredPayment | undefined> {
  const [row] = await sql<PaymentTextRow[]>`
    select ${selectPayment(sql)}
    from payments p left join payment_details d on d.payment_key = p.key
    where p.id = ${id} and ${isVisible(sql, context, caller)}`;
  return row === undefined ? undefined : readPayment(row);
}

/** A condition: belongs to this environment (imported payments belong to both) and to the caller's entities. */
export function isVisible(sql: Sql | Tx, context: CoreContext, caller: Caller) {
  return sql`${isOfEnvironment(sql, context)}
    and ${ofEntities(sql, 'p.entity_id', caller.entityIds)}`;
}

/**
 * A condition: payment `p` with its details `d` belongs to this environment.
 *
 * Nearly all payments belong to it. The planner expects a computed text to have a given value in one of 200 rows, and
 * read all payments for the first page of a query. Of `coalesce` it expects that it is true in every second row.
 */
export function isOfEnvironment(sql: Sql | Tx, context: CoreContext) {
  return sql`coalesce(
      coalesce(${sql.unsafe(environmentOfPayment)}, ${context.environment}::text) = ${context.environment}::text, false)`;
}
