import type { Caller, CoreContext } from '../core/core-context.js';
import { reading } from '../core/transactions.js';
import { respond } from '../payments/process-payment.js';
import { findStoredPayment } from '../payments/stored-payment.js';
import { refuse } from '../responses/stamp-response.js';
import { checkoutResponse, type CheckoutResponse } from './checkout-response.js';
import { findCheckout } from './stored-checkout.js';

/**
 * The status of a checkout: the result of its newest payment, or 000.200.100 while it has none.
 *
 * @returns 200.300.406 when it does not exist, or when it expired unpaid
 */
export async function getCheckout(
  context: CoreContext,
  id: string,
  caller: Caller,
): Promise<CheckoutResponse> {
  return reading(async () => {
    const checkout = await findCheckout(context, context.sql, id, caller, false);
    const paymentId = checkout?.paidBy ?? checkout?.lastPayment ?? null;
    const payment =
      paymentId === null ? undefined : await findStoredPayment(context, context.sql, paymentId, {});
    if (checkout === undefined || (checkout.expired && payment === undefined)) {
      return refuse(context, '200.300.406');
    }
    const response = checkoutResponse(
      context,
      id,
      '000.200.100',
      checkout.parameters['integrity'] === 'true',
    );
    if (payment === undefined) return response;
    const paid = respond(context, payment);
    return { ...response, result: paid.result, payment: paid };
  });
}
