import type { Caller, CoreContext } from '../core/core-context.js';
import { storedMoment } from '../values/moments.js';
import { reading } from '../core/transactions.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';
import { refuse, refuseThrottled } from '../responses/stamp-response.js';
import { checkoutResponse, type CheckoutResponse } from './checkout-response.js';
import { findCheckout } from './stored-checkout.js';

const minuteMs = 60_000;

/** Counts a read of this checkout; returns the seconds to wait if it was read too often in this minute. */
async function countStatusRead(context: CoreContext, id: string): Promise<number | undefined> {
  const { checkoutStatusPerMinute: most, environment } = context;
  if (most === undefined) return undefined;
  const now = context.clock();
  const minute = storedMoment(now - (now % minuteMs));
  const [checkout] = await context.sql<{ reads: number }[]>`
    update checkouts set status_minute = ${minute}::text::timestamptz,
      status_reads = case when status_minute = ${minute}::text::timestamptz then status_reads + 1 else 1 end
    where id = ${id} and environment = ${environment} returning status_reads as reads`;
  if (checkout === undefined || checkout.reads <= most) return undefined;
  return Math.ceil((minuteMs - (now % minuteMs)) / 1000);
}

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
    const checkout = await findCheckout(context, context.sql, { id, caller, lock: 'none' });
    // A checkout of somebody else does not exist, so its reads are neither counted nor limited.
    const waitSeconds = checkout === undefined ? undefined : await countStatusRead(context, id);
    if (waitSeconds !== undefined) return refuseThrottled(context, waitSeconds);
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
      checkout.stored.open['integrity'] === 'true',
    );
    if (payment === undefined) return response;
    const paid = respondWithPayment(context, payment);
    return { ...response, result: paid.result, payment: paid };
  });
}
