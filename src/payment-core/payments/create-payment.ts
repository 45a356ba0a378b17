import type { Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { accepted, checkRequest, rejected, type Checked } from '../core/check-request.js';
import { readAmount } from '../values/amounts.js';
import { isMistakenZero, zeroAmount } from '../values/zero-amount.js';
import { refusedPermission } from '../core/caller-permission.js';
import { refuse } from '../responses/stamp-response.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { judgeFollowUp, type FollowUp } from './judge-follow-up.js';
import { isOtherBrand } from './is-other-brand.js';
import { isOtherEntity } from './is-other-entity.js';
import { lockFamily } from './lock-family.js';
import type { PaymentIntent } from './payment-intent.js';
import { canBeRegistered } from '../instruments/read-instrument.js';
import { whyNotRegistered } from '../stored-registrations/why-not-registered.js';
import { processPayment } from './process-payment.js';
import { processStandalone } from './process-standalone.js';
import { isReferencing, prepareReference } from './reference-payment.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/**
 * A stand-alone payment (PA, DB, CD), or, with referenceUuid, a capture, reversal or refund (operations 3.1) or
 * a follow-up of a standing instruction (2.3).
 *
 * @returns the payment, even when it was declined; for a refused request (800.120.100, 600.200.701, 200.300.404,
 *   600.200.201, 700.*) a result only, and nothing is stored
 */
export async function createPayment(
  context: CoreContext,
  received: ReceivedParameters,
  caller: Caller,
): Promise<PaymentResponse> {
  const shape = { kind: 'payment', caller } as const;
  const checked = checkRequest(context, received, shape);
  if (!checked.ok) return checked.response;
  const request = checked.value;
  const type = request['paymentType'];
  const reference = request['referenceUuid'];
  if (!isReferencing(type) && reference === undefined) {
    const intent = intentOf(context, request, direct);
    return intent.ok ? processStandalone(context, intent.value, caller.permission) : intent.response;
  }
  if ((await caller.permission?.confirm()) === false) return refuse(context, refusedPermission);
  if (isReferencing(type)) {
    const notFound = () => unknownReference(context, reference);
    return processPayment(context, (tx) =>
      prepareReference(context, tx, { id: reference ?? '', parameters: request, caller, notFound }),
    );
  }
  return processPayment(context, (tx) =>
    prepareStandalone(context, tx, { parameters: request, caller, ...direct }),
  );
}

/** The registration whose instrument pays, and the checkout in which it does. */
type PaymentOrigin = Pick<PaymentIntent, 'registration' | 'checkoutId'>;

const direct: PaymentOrigin = { registration: null, checkoutId: null };

/** Reads a PA, DB or CD, whether its instrument comes with the request or from a registration. */
function intentOf(
  context: CoreContext,
  parameters: ParameterValues,
  { registration, checkoutId }: PaymentOrigin,
): Checked<PaymentIntent & FollowUp> {
  const type = parameters['paymentType'];
  const amountMinor = readAmount(parameters['amount']);
  const currency = parameters['currency'];
  if (
    (type !== 'PA' && type !== 'DB' && type !== 'CD') ||
    amountMinor === undefined ||
    currency === undefined
  ) {
    return rejected(refuse(context, '200.300.404'));
  }
  if (isMistakenZero(parameters)) return rejected(refuse(context, zeroAmount));
  const wantsRegistration = parameters['createRegistration'] === 'true' && registration === null;
  if (wantsRegistration && !canBeRegistered(parameters)) {
    return rejected(refuse(context, '100.150.205', whyNotRegistered(parameters)));
  }
  return accepted({
    paymentType: type,
    amountMinor,
    currency,
    parameters,
    referenced: null,
    registration,
    checkoutId,
  });
}

/** A PA, DB or CD whose parameters were checked, and are complete. */
export interface StandaloneRequest extends PaymentOrigin {
  readonly parameters: ParameterValues;
  readonly caller: Caller;
}

/** Reads a PA, DB or CD that may follow up another payment, whose family it then locks. */
export async function prepareStandalone(
  context: CoreContext,
  tx: Tx,
  { parameters, caller, ...origin }: StandaloneRequest,
): Promise<Checked<PaymentIntent>> {
  const intent = intentOf(context, parameters, origin);
  const reference = parameters['referenceUuid'];
  if (!intent.ok || reference === undefined) return intent;
  const referenced = await findStoredPayment(context, tx, reference, caller);
  if (referenced === undefined || isOtherEntity(parameters['entityId'], referenced))
    return rejected(unknownReference(context, reference));
  const family = await lockFamily(context, tx, referenced.id);
  const practice = parameters['standingInstruction.industryPractice'];
  // It adds to the authorisation of one account. Every other practice is a separate payment.
  if (practice === 'INCREMENTAL_AUTH' && isOtherBrand(parameters['paymentBrand'], referenced))
    return rejected(refuse(context, '700.100.400'));
  const code = judgeFollowUp(intent.value, practice, referenced.id, family);
  return code === undefined ? accepted({ ...intent.value, referenced }) : rejected(refuse(context, code));
}

/** Operations 2.2: a referenceUuid without a matching payment is a violation of that parameter. */
function unknownReference(context: CoreContext, value: string | undefined) {
  const message = 'referenceUuid does not name a payment';
  return refuse(context, '200.300.404', [{ name: 'referenceUuid', value: value ?? null, message }]);
}
