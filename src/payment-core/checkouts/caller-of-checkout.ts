import type { Caller, CoreContext } from '../core/core-context.js';
import { reading } from '../core/transactions.js';

/**
 * Who pays a checkout. A caller without entities, such as the form of a shopper that carries no token, pays for the
 * entity of the checkout. So its request counts for that entity's limit, and a registration or a referenced payment of
 * another entity does not exist for it. The id of a checkout is a permission to pay this checkout, and nothing else.
 *
 * @returns the caller as it is if the checkout is unknown or belongs to no entity
 */
export async function callerOfCheckout(context: CoreContext, id: string, caller: Caller): Promise<Caller> {
  if (caller.entityIds !== undefined) return caller;
  const [checkout] = await reading(
    () => context.sql<{ entityId: string | null }[]>`
      select entity_id as "entityId" from checkouts where id = ${id} and environment = ${context.environment}`,
  );
  const entityId = checkout?.entityId ?? null;
  return entityId === null ? caller : { ...caller, entityIds: [entityId] };
}
