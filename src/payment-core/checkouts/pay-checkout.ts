import type { Caller, CoreContext, Parameters } from '../core/core-context.js';
import { checkRequest, rejected, type Checked } from '../core/check-request.js';
import type { CoreTx } from '../core/transactions.js';
import { reading } from '../core/transactions.js';
import { prepareStandalone } from '../payments/create-payment.js';
import type { PaymentIntent } from '../payments/payment-intent.js';
import { processPayment } from '../payments/process-payment.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { validateParameters } from '../validation/validate-parameters.js';
import { findCheckout } from './stored-checkout.js';

/** Parameters of a checkout that its payment does not have. */
const ofCheckoutOnly = /^(?:integrity$|overridePaymentType\[)/;

/**
 * Pays a checkout once: a success, or a payment that waits, closes it; a declined one leaves it open. The
 * request brings what the checkout did not set, it changes nothing of it. It may come from the shopper's
 * browser, so its custom parameters must begin with SHOPPER_ (catalogue 2.21).
 *
 * @returns the payment; 200.300.406 when the checkout does not exist (any more), 800.110.100 when it is paid
 */
export async function payCheckout(
  context: CoreContext,
  id: string,
  parameters: Parameters,
  caller: Caller = {},
): Promise<PaymentResponse> {
  const before = await reading(() => findCheckout(context, context.sql, id, caller, false));
  if (before === undefined || before.expired) return refuse(context, '200.300.406');
  const prepared = mergeWithCheckout(before.parameters, parameters);
  const environment = context.environment;
  const fromClient = validateParameters('payment', parameters, {
    environment,
    origin: 'client',
    partial: true,
  });
  const errors = [...fromClient, ...prepared.conflicts];
  if (errors.length > 0) return refuse(context, '200.300.404', errors);
  const checked = await checkRequest(context, prepared.parameters, {
    operation: 'checkouts.pay',
    kind: 'payment',
    caller,
  });
  if (!checked.ok) return checked.response;
  return processPayment(context, (tx) => prepare(context, tx, id, before.parameters, checked.value, caller));
}

async function prepare(
  context: CoreContext,
  tx: CoreTx,
  id: string,
  before: Parameters,
  request: Parameters,
  caller: Caller,
): Promise<Checked<PaymentIntent>> {
  const checkout = await findCheckout(context, tx.sql, id, caller, true);
  if (checkout === undefined || checkout.expired) return rejected(refuse(context, '200.300.406'));
  if (checkout.paidBy !== null) return rejected(refuse(context, '800.110.100'));
  // An update came in between: what was judged is not what would be paid.
  if (!isSame(checkout.parameters, before)) return rejected(refuse(context, '800.700.100'));
  return prepareStandalone(context, tx, request, caller, null, id);
}

/** The payment's parameters, and what the request tried to change of the checkout. */
export function mergeWithCheckout(
  checkout: Parameters,
  request: Parameters,
): { readonly parameters: Parameters; readonly conflicts: readonly ParameterError[] } {
  const brand = request['paymentBrand'] ?? checkout['paymentBrand'];
  const own = brand === undefined ? undefined : checkout[`overridePaymentType[${brand}]`];
  const kept = Object.fromEntries(Object.entries(checkout).filter(([name]) => !ofCheckoutOnly.test(name)));
  const conflicts = Object.entries(request)
    .filter(([name, value]) => kept[name] !== undefined && kept[name] !== value)
    .map(([name]) => ({
      name,
      value: null,
      message: `${name} was set by the checkout and cannot be changed`,
    }));
  const parameters = { ...request, ...kept, ...(own === undefined ? {} : { paymentType: own }) };
  return { parameters, conflicts };
}

function isSame(left: Parameters, right: Parameters): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}
