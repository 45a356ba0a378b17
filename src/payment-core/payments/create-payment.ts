import type { Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { Parameters } from '../fields/parameters.js';
import { accepted, checkRequest, rejected, type Checked } from '../core/check-request.js';
import { readAmount } from '../core/amounts.js';
import { refuse } from '../responses/stamp-response.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { judgeFollowUp } from './judge-follow-up.js';
import { lockFamily } from './lock-family.js';
import type { PaymentIntent } from './payment-intent.js';
import { canBeRegistered, processPayment } from './process-payment.js';
import { prepareReference } from './reference-payment.js';
import { findStoredPayment } from './stored-payment.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/**
 * A stand-alone payment (PA, DB, CD), or, with referenceUuid, a capture, reversal or refund (operations 3.1) or
 * a follow-up of a standing instruction (2.3).
 *
 * @returns the payment, also when it was declined; for a refused request (800.120.100, 600.200.701, 200.300.404,
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
  return processPayment(context, (tx) => prepareCreation(context, tx, checked.value, caller));
}

async function prepareCreation(
  context: CoreContext,
  tx: Tx,
  parameters: Parameters,
  caller: Caller,
): Promise<Checked<PaymentIntent>> {
  const type = parameters['paymentType'];
  const reference = parameters['referenceUuid'];
  if (type === 'CP' || type === 'RV' || type === 'RF') {
    const notFound = () => unknownReference(context, reference);
    return prepareReference(context, tx, reference ?? '', parameters, caller, notFound);
  }
  return prepareStandalone(context, tx, parameters, caller, null, null);
}

/** Prepares a PA, DB or CD, whether its instrument comes with the request or from a registration. */
export async function prepareStandalone(
  context: CoreContext,
  tx: Tx,
  parameters: Parameters,
  caller: Caller,
  registration: PaymentIntent['registration'],
  checkoutId: string | null,
): Promise<Checked<PaymentIntent>> {
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
  // A preauthorisation of zero validates an account. Any other payment of zero is a mistake.
  if (amountMinor === 0n && type !== 'PA') return rejected(refuse(context, '100.550.300'));
  const wantsRegistration = parameters['createRegistration'] === 'true' && registration === null;
  if (wantsRegistration && !canBeRegistered(parameters)) return rejected(refuse(context, '100.150.205'));
  const intent = {
    paymentType: type,
    amountMinor,
    currency,
    parameters,
    referenced: null,
    registration,
    checkoutId,
  } as const;
  const reference = parameters['referenceUuid'];
  if (reference === undefined) return accepted(intent);
  const referenced = await findStoredPayment(context, tx, reference, caller);
  if (referenced === undefined) return rejected(unknownReference(context, reference));
  const family = await lockFamily(tx, referenced.id);
  const code = judgeFollowUp(
    intent,
    parameters['standingInstruction.industryPractice'],
    referenced.id,
    family,
  );
  return code === undefined ? accepted({ ...intent, referenced }) : rejected(refuse(context, code));
}

/** Operations 2.2: a referenceUuid without a matching payment is a violation of that parameter. */
function unknownReference(context: CoreContext, value: string | undefined) {
  const message = 'referenceUuid does not name a payment';
  return refuse(context, '200.300.404', [{ name: 'referenceUuid', value: value ?? null, message }]);
}
