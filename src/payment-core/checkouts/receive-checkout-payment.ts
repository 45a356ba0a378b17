import { unknownOptions, type OptionNames } from '../core/option-names.js';
import { receiveId } from '../core/receive.js';
import { receiveParameters } from '../validation/receive-parameters.js';
import type { ParameterError } from '../validation/parameter-error.js';
import type { CheckoutPayment } from './pay-checkout.js';

const options: OptionNames<CheckoutPayment> = { registrationId: true, fromShopper: true };

interface ReceivedPayment {
  readonly how: CheckoutPayment;
  readonly errors: readonly ParameterError[];
}

/** How a checkout is paid, and what is wrong with that. Whatever says that a shopper sent it is believed. */
export function receiveCheckoutPayment(payment: unknown): ReceivedPayment {
  const received = receiveParameters(payment ?? {});
  const { registrationId, fromShopper } = received.values;
  const how = {
    ...(registrationId === undefined ? {} : { registrationId: receiveId(registrationId) }),
    fromShopper: fromShopper !== undefined && fromShopper !== false,
  };
  return { how, errors: unknownOptions(received, options) };
}
