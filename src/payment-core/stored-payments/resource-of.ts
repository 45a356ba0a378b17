import type { PaymentDetails } from './payment-content.js';

/** Where a payment is read: the values of `id` and `resourcePath`. */
export interface Resource {
  readonly id: string;
  readonly path: string;
}

/** The resource that says how a payment ended: its checkout if it has one, else the payment. */
export function resourceOf(paymentId: string, { checkoutId }: Pick<PaymentDetails, 'checkoutId'>): Resource {
  return checkoutId === null
    ? { id: paymentId, path: `/v1/payments/${paymentId}` }
    : { id: checkoutId, path: `/v1/checkouts/${checkoutId}/payment` };
}
