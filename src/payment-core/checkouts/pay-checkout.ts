import type { Caller, CoreContext, Parameters } from '../core/core-context.js';
import { checkRequest, rejected } from '../core/check-request.js';
import type { CoreTx } from '../core/transactions.js';
import { reading } from '../core/transactions.js';
import { prepareStandalone } from '../payments/create-payment.js';
import { processPayment } from '../payments/process-payment.js';
import { prepareWithRegistration } from '../registrations/pay-with-registration.js';
import type { ErrorResponse, PaymentResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { validateParameters } from '../validation/validate-parameters.js';
import { findCheckout, type StoredCheckout } from './stored-checkout.js';

/** Parameters of a checkout that its payment does not have. */
const ofCheckoutOnly = /^(?:integrity$|overridePaymentType\[)/;

export interface CheckoutPayment {
  /** Pays with a registration, which is the instrument then. */
  readonly registrationId?: string;
}

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
  { registrationId }: CheckoutPayment = {},
  caller: Caller = {},
): Promise<PaymentResponse> {
  const before = await reading(() => findCheckout(context, context.sql, id, caller, false));
  if (before === undefined || before.expired) return refuse(context, '200.300.406');
  if (before.paidBy !== null) return refuse(context, '800.110.100');
  const prepared = mergeWithCheckout(forInstrument(before.parameters, registrationId), parameters);
  const environment = context.environment;
  const registration = registrationId !== undefined;
  const fromClient = validateParameters('payment', parameters, {
    environment,
    origin: 'client',
    partial: true,
    registration,
  });
  const errors = [...fromClient, ...prepared.conflicts];
  if (errors.length > 0) return refuse(context, '200.300.404', errors);
  const checked = await checkRequest(context, prepared.parameters, {
    operation: 'checkouts.pay',
    kind: 'payment',
    caller,
    options: { registration },
  });
  if (!checked.ok) return checked.response;
  const request = checked.value;
  return processPayment(context, async (tx) => {
    const refused = await refuseUnlessOpen(context, tx, before, caller);
    if (refused !== undefined) return rejected(refused);
    return registrationId === undefined
      ? prepareStandalone(context, tx, request, caller, null, id)
      : prepareWithRegistration(context, tx, registrationId, request, caller, id);
  });
}

/** Locks the checkout: nobody else pays or changes it until the payment is stored. */
async function refuseUnlessOpen(
  context: CoreContext,
  tx: CoreTx,
  before: StoredCheckout,
  caller: Caller,
): Promise<ErrorResponse | undefined> {
  const checkout = await findCheckout(context, tx.sql, before.id, caller, true);
  if (checkout === undefined || checkout.expired) return refuse(context, '200.300.406');
  if (checkout.paidBy !== null) return refuse(context, '800.110.100');
  // An update came in between: what was judged is not what would be paid.
  return isSame(checkout.parameters, before.parameters) ? undefined : refuse(context, '800.700.100');
}

/** A checkout may allow for registrations and be paid without one: then there is no holder to override. */
function forInstrument(checkout: Parameters, registrationId: string | undefined): Parameters {
  if (registrationId !== undefined) return checkout;
  const { overrideHolder: _, ...rest } = checkout;
  return rest;
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
