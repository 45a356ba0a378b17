import type { ParameterError } from '../validation/parameter-error.js';
import { presentText } from '../validation/present-value.js';
import type { PaymentIntent } from './payment-intent.js';

/** Which parameter of a payment that no connector takes sent it to an acquirer. */
export function whyNoConnector({ parameters, paymentType, referenced }: PaymentIntent): ParameterError {
  if (referenced?.details !== undefined && referenced.details !== null) {
    const message =
      'paymentType needs the connector of the referenced payment, and there is none of its name';
    return { name: 'paymentType', value: paymentType, message };
  }
  if (parameters['testMode'] === 'EXTERNAL') {
    const message =
      'testMode EXTERNAL needs a connector to an acquirer, and there is none for this payment: INTERNAL is the simulator';
    return { name: 'testMode', value: 'EXTERNAL', message };
  }
  const message = 'paymentBrand has no connector to an acquirer, and payments in live need one';
  const brand = parameters['paymentBrand'];
  return { name: 'paymentBrand', value: brand === undefined ? null : presentText(brand), message };
}
