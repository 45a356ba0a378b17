import { changedEntity } from '../core/changed-entity.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { checkRequest } from '../core/check-request.js';
import { isMistakenZero, zeroAmount } from '../values/zero-amount.js';
import { sharedMoment } from '../core/shared-moment.js';
import { mustHaveWritten } from '../core/transactions.js';
import { inKeyedTransaction, useKey } from '../idempotency/keyed-operation.js';
import { validateParameters } from '../validation/validate-parameters.js';
import { dayOf } from '../values/moments.js';
import { refuse } from '../responses/stamp-response.js';
import { keptParameters, writeDocument } from './checkout-document.js';
import { checkoutResponse, type CheckoutResponse } from './checkout-response.js';
import { unusableOffers, withChanges } from './offered-registrations.js';
import { findOpenCheckout } from './stored-checkout.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/**
 * Changes a checkout that is not paid yet. The changed checkout is validated as a whole, so it stays valid.
 *
 * @returns 000.200.101; 200.300.406 when it does not exist or has expired unpaid, 800.110.100 when it is paid
 */
export async function updateCheckout(
  context: CoreContext,
  id: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<CheckoutResponse> {
  const checked = checkRequest(context, received, { kind: 'checkout', caller, options: { partial: true } });
  if (!checked.ok) return checked.response;
  const kept = keptParameters(checked.value);
  return inKeyedTransaction(context, async (tx) => {
    const checkout = await findOpenCheckout(context, tx, { id, caller, lock: 'update' });
    if (!checkout.ok) return checkout.response;
    const merged = withChanges(checkout.value.parameters, kept);
    const errors = [
      ...validateParameters('checkout', merged, {
        environment: context.environment,
        today: dayOf(context.clock()),
        schemeOf: context.schemeOf,
      }),
      ...changedEntity(kept, checkout.value),
      ...(await unusableOffers(context, tx, kept, caller)),
    ];
    if (errors.length > 0) return refuse(context, '200.300.404', errors);
    if (isMistakenZero(merged)) return refuse(context, zeroAmount);
    const written = await tx`
      update checkouts set parameters = ${writeDocument(context, id, merged)}::text::jsonb,
        updated_at = ${sharedMoment(context, tx)}
      where id = ${id}`;
    mustHaveWritten(written);
    await useKey(context, tx, 'checkout', id);
    return checkoutResponse(context, id, '000.200.101', merged['integrity'] === 'true');
  });
}
