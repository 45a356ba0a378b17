import type { Sql, Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { checkRequest } from '../core/check-request.js';
import { newCheckoutId } from '../values/identifiers.js';
import { isMistakenZero, zeroAmount } from '../values/zero-amount.js';
import { sharedMoment } from '../core/shared-moment.js';
import { reading } from '../core/transactions.js';
import { inOneTransaction } from '../idempotency/keyed-operation.js';
import { refuse } from '../responses/stamp-response.js';
import { keptParameters, writeDocument } from './checkout-document.js';
import { checkoutResponse, type CheckoutResponse } from './checkout-response.js';
import { unusableOffers } from './offered-registrations.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/**
 * Prepares a payment that is paid in a later step (operations 4). The later step cannot change the parameters that
 * are set here. The account number and the security code of an instrument are not stored here: they come with the
 * payment. The account numbers of a sender, a recipient, the risk check and a gift card are sealed.
 *
 * @returns 000.200.100 with the checkout's id, and the script's hash when integrity=true
 */
export async function createCheckout(
  context: CoreContext,
  received: ReceivedParameters,
  caller: Caller,
): Promise<CheckoutResponse> {
  const shape = { kind: 'checkout', caller } as const;
  const checked = checkRequest(context, received, shape);
  if (!checked.ok) return checked.response;
  const kept = keptParameters(checked.value);
  if (isMistakenZero(kept)) return refuse(context, zeroAmount);
  const unusable = await reading(() => unusableOffers(context, context.sql, kept, caller));
  if (unusable.length > 0) return refuse(context, '200.300.404', unusable);
  const id = newCheckoutId(context.random, context.environment);
  const document = writeDocument(context, id, kept);
  const store = async (sql: Sql | Tx) => {
    const now = sharedMoment(context, sql);
    await sql`
      insert into checkouts (id, environment, entity_id, parameters, created_at, updated_at, expires_at)
      select ${id}::text, ${context.environment}::text, ${kept['entityId'] ?? null}::text,
        ${document}::text::jsonb, ${now}, ${now},
        ${now} + ${context.checkoutLifetimeMs}::float8 * interval '1 millisecond'
      on conflict (id) do nothing`;
  };
  await inOneTransaction(context, { resource: 'checkout', resourceId: id, store });
  return checkoutResponse(context, id, '000.200.100', kept['integrity'] === 'true');
}
