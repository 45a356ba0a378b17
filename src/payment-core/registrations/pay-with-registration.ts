import type { Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { checkRequest, type Checked } from '../core/check-request.js';
import { reading } from '../core/transactions.js';
import { prepareStandalone, type StandaloneRequest } from '../payments/create-payment.js';
import type { PaymentIntent } from '../payments/payment-intent.js';
import { processPayment } from '../payments/process-payment.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { holderField } from '../stored-registrations/describe-registration.js';
import {
  findRegistration,
  findUsableRegistration,
  openInstrument,
  type StoredRegistration,
} from '../stored-registrations/find-registration.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/**
 * A one-click payment with a registration (operations 4). The instrument comes from the registration. The request may
 * contain card.cvv but not an account number. With overrideHolder=true the request may name a holder if the
 * registration has none (2.2).
 *
 * @returns the payment; 100.150.200 when the registration does not exist, 100.150.202 when it was deleted
 */
export async function payWithRegistration(
  context: CoreContext,
  id: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<PaymentResponse> {
  const registered =
    received.values['standingInstruction.mode'] === 'INITIAL'
      ? await reading(() => findRegistration(context, context.sql, { id, caller, lock: 'none' }))
      : undefined;
  const checked = checkRequest(context, received, {
    kind: 'payment',
    caller,
    options: payingWith(registered),
  });
  if (!checked.ok) return checked.response;
  const payment = { registrationId: id, checkoutId: null, parameters: checked.value, caller };
  return processPayment(context, (tx) => prepareWithRegistration(context, tx, payment));
}

/** How the parameters of a payment with this registration are validated: what they need may depend on its account. */
export function payingWith(registered: StoredRegistration | undefined) {
  return {
    registration: true,
    ...(registered === undefined ? {} : { registeredAccount: registered.accountField }),
  };
}

/** A payment whose instrument is that of a registration: its parameters were checked, and have no instrument. */
export interface RegistrationPayment extends Omit<StandaloneRequest, 'registration'> {
  readonly registrationId: string;
}

/** Locks the registration against deletion until the payment is stored, and fills in its instrument. */
export async function prepareWithRegistration(
  context: CoreContext,
  tx: Tx,
  { registrationId, checkoutId, parameters, caller }: RegistrationPayment,
): Promise<Checked<PaymentIntent>> {
  const usable = await findUsableRegistration(context, tx, { id: registrationId, caller, lock: 'share' });
  if (!usable.ok) return usable;
  const registration = usable.value;
  const instrument = openInstrument(context, registration);
  const field = holderField(instrument);
  const { 'card.holder': _card, 'bankAccount.holder': _bank, ...withoutHolder } = parameters;
  const mayOverride = parameters['overrideHolder'] === 'true' && registration.holder === null;
  const holder = mayOverride ? parameters[field] : undefined;
  const merged: ParameterValues = {
    ...(registration.paymentBrand === null ? {} : { paymentBrand: registration.paymentBrand }),
    ...(registration.entityId === null ? {} : { entityId: registration.entityId }),
    ...withoutHolder,
    ...(Object.keys(parameters).some(isOfMandate) ? withoutMandate(instrument) : instrument),
    ...(holder === undefined ? {} : { [field]: holder }),
  };
  return prepareStandalone(context, tx, { parameters: merged, caller, registration, checkoutId });
}

const isOfMandate = (name: string) => name.startsWith('bankAccount.mandate.');

/** The account alone: a payment may name another mandate for it, and the stored one is not a part of that. */
function withoutMandate(instrument: ParameterValues): ParameterValues {
  return Object.fromEntries(Object.entries(instrument).filter(([name]) => !isOfMandate(name)));
}
