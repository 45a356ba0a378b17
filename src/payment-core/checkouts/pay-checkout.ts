import type { Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { checkRequest, rejected } from '../core/check-request.js';
import { reading } from '../core/transactions.js';
import { prepareStandalone } from '../payments/create-payment.js';
import { detectBrand } from '../instruments/detect-brand.js';
import { processPayment } from '../payments/process-payment.js';
import { payingWith, prepareWithRegistration } from '../registrations/pay-with-registration.js';
import { findRegistration, type StoredRegistration } from '../stored-registrations/find-registration.js';
import type { ErrorResponse, PaymentResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import type { ParameterError } from '../validation/parameter-error.js';
import { sentParameters } from '../validation/apply-defaults.js';
import { readRequest } from '../validation/read-request.js';
import { isTestModeRefused, judgeReading } from '../validation/validate-parameters.js';
import { findOpenCheckout, type OpenCheckout } from './stored-checkout.js';
import { isOffered } from './offered-registrations.js';
import { otherBrand, readShopperForm } from './shopper-form.js';
import { receiveParameters, type ReceivedParameters } from '../validation/receive-parameters.js';

/** Parameters of a checkout that are not part of its payment. */
const ofCheckoutOnly = /^(?:integrity$|overridePaymentType\[|registrations\[)/;

/** What pays a checkout, if it is not an instrument of the request. */
export interface CheckoutPayment {
  /** The registration whose instrument pays. */
  readonly registrationId?: string;
  /**
   * The parameters are those of the shopper's form, and nobody else vouches for them. Then only what a shopper may
   * enter is accepted, only registrations that the checkout offers pay, and a card must be of the brand that is named.
   */
  readonly fromShopper?: boolean;
}

/**
 * Pays a checkout once: a successful or pending payment closes it, a declined payment leaves it open. The request
 * adds the parameters that the checkout did not set, and cannot change the others. It may come from the shopper's
 * browser, so its custom parameters must begin with SHOPPER_ (catalogue 2.21).
 *
 * @returns the payment; 200.300.406 when the checkout does not exist or has expired unpaid, 800.110.100 when it is
 * paid
 */
export async function payCheckout(
  context: CoreContext,
  id: string,
  request: ReceivedParameters,
  { registrationId, fromShopper = false, caller }: CheckoutPayment & { readonly caller: Caller },
): Promise<PaymentResponse> {
  const { environment } = context;
  const found = await reading(() => findOpenCheckout(context, context.sql, { id, caller, lock: 'none' }));
  if (!found.ok) return found.response;
  const before = found.value;
  if (isTestModeRefused(request.values, { environment })) return refuse(context, '600.200.701');
  if (fromShopper && registrationId !== undefined && !isOffered(before.parameters, registrationId)) {
    return refuse(context, '100.150.200', [notOffered]);
  }
  const registration = registrationId !== undefined;
  const checkout = forInstrument(before.parameters, registrationId);
  const { received, refused } = fromShopper
    ? readShopperForm(request, checkout)
    : { received: request, refused: [] };
  const fromClient = readRequest('payment', received, {
    environment,
    origin: 'client',
    partial: true,
    registration,
  });
  const sent = sentParameters(fromClient);
  const conflicts = conflictsWith(checkout, sent);
  const errors = [...judgeReading(fromClient), ...refused, ...conflicts];
  if (errors.length > 0) return refuse(context, '200.300.404', errors);
  const together = { ...sent, ...checkout };
  const registered = await findRegistered(context, registrationId, caller);
  const merged = receiveParameters(mergeWithCheckout(checkout, sent, brandOf(together, registered)));
  const checked = checkRequest(context, merged, {
    kind: 'payment',
    caller,
    options: registration ? payingWith(registered) : {},
    found: fromShopper ? otherBrand(together, registered) : [],
  });
  if (!checked.ok) return checked.response;
  const parameters = checked.value;
  return processPayment(context, async (tx) => {
    const notOpen = await refuseUnlessOpen(context, tx, before, caller);
    if (notOpen !== undefined) return rejected(notOpen);
    const payment = { parameters, caller, checkoutId: id };
    return registrationId === undefined
      ? prepareStandalone(context, tx, { ...payment, registration: null })
      : prepareWithRegistration(context, tx, { ...payment, registrationId });
  });
}

const notOffered: ParameterError = {
  name: 'registrationId',
  value: null,
  message: 'registrationId is not a registration that this checkout offers',
};

async function findRegistered(
  context: CoreContext,
  id: string | undefined,
  caller: Caller,
): Promise<StoredRegistration | undefined> {
  if (id === undefined) return undefined;
  return reading(() => findRegistration(context, context.sql, { id, caller, lock: 'none' }));
}

/** The brand of the payment: the named one, else the brand of the registration, else the one of the card number. */
function brandOf(
  parameters: ParameterValues,
  registered: StoredRegistration | undefined,
): string | undefined {
  const { paymentBrand: named, 'card.number': number } = parameters;
  return named ?? registered?.paymentBrand ?? detectBrand(registered?.accountBin ?? number);
}

/** Locks the checkout, so that no other request pays or changes it until the payment is stored. */
async function refuseUnlessOpen(
  context: CoreContext,
  tx: Tx,
  before: OpenCheckout,
  caller: Caller,
): Promise<ErrorResponse | undefined> {
  const checkout = await findOpenCheckout(context, tx, { id: before.id, caller, lock: 'update' });
  if (!checkout.ok) return checkout.response;
  // The checkout was updated after it was checked.
  return isSame(checkout.value.parameters, before.parameters) ? undefined : refuse(context, '800.700.100');
}

/** A checkout that allows overrideHolder may be paid without a registration. Then there is no holder to override. */
function forInstrument(checkout: ParameterValues, registrationId: string | undefined): ParameterValues {
  if (registrationId !== undefined) return checkout;
  const { overrideHolder: _, ...rest } = checkout;
  return rest;
}

/**
 * The parameters of the checkout that the request tries to change. The form of a shopper always says where it returns
 * to; the address of the checkout takes precedence.
 */
function conflictsWith(checkout: ParameterValues, request: ParameterValues): readonly ParameterError[] {
  return Object.entries(request)
    .filter(([name]) => name !== 'shopperResultUrl')
    .filter(([name, value]) => (checkout[name] ?? value) !== value)
    .map(([name]) => ({
      name,
      value: null,
      message: `${name} was set by the checkout and cannot be changed`,
    }));
}

/**
 * The parameters of the payment, with the payment type that the checkout sets for its brand. A checkout may limit the
 * captures of one brand's PA, although other brands pay by DB or CD: for them, the number does not apply.
 */
function mergeWithCheckout(
  checkout: ParameterValues,
  request: ParameterValues,
  brand: string | undefined,
): ParameterValues {
  const own = brand === undefined ? undefined : checkout[`overridePaymentType[${brand}]`];
  const kept = Object.fromEntries(Object.entries(checkout).filter(([name]) => !ofCheckoutOnly.test(name)));
  const merged: ParameterValues = { ...request, ...kept, ...(own === undefined ? {} : { paymentType: own }) };
  if (checkout['numberOfCaptures'] === undefined || merged['paymentType'] === 'PA') return merged;
  const { numberOfCaptures: _, ...withoutCaptures } = merged;
  return withoutCaptures;
}

function isSame(left: ParameterValues, right: ParameterValues): boolean {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}
