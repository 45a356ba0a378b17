import type { Caller, CoreContext } from '../core/core-context.js';
import { reading } from '../core/transactions.js';
import { refuse } from '../responses/stamp-response.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import { readAnswered } from '../stored-payments/read-answered.js';

/**
 * The payment with this id (operations 4), imported ones and booked chargebacks included.
 *
 * @returns 700.400.580 when it does not exist or the caller may not see it
 */
export async function getPayment(context: CoreContext, id: string, caller: Caller): Promise<PaymentResponse> {
  const payment = await reading(() => readAnswered(context, id, caller));
  return payment === undefined ? refuse(context, '700.400.580') : respondWithPayment(context, payment);
}
