import { receiveId } from '../core/receive.js';
import { receiveParameters } from '../validation/receive-parameters.js';
import type { CheckoutPayment } from './pay-checkout.js';

/** How a checkout is paid. Whatever says that the request came from a shopper is believed. */
export function receiveCheckoutPayment(payment: unknown): CheckoutPayment {
  const { registrationId, fromShopper } = receiveParameters(payment ?? {}).values;
  return {
    ...(registrationId === undefined ? {} : { registrationId: receiveId(registrationId) }),
    fromShopper: fromShopper !== undefined && fromShopper !== false,
  };
}
