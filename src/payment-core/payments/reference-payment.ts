import type { Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import type { ParameterValues } from '../fields/parameters.js';
import { accepted, checkRequest, rejected, type Checked } from '../core/check-request.js';
import { readAmount } from '../values/amounts.js';
import { refuse } from '../responses/stamp-response.js';
import type { ErrorResponse, PaymentResponse } from '../responses/response-types.js';
import { judgeReference, type ReferencingType } from './judge-reference.js';
import { isOtherBrand } from './is-other-brand.js';
import { isOtherEntity } from './is-other-entity.js';
import { lockPayment } from './lock-family.js';
import type { PaymentIntent } from './payment-intent.js';
import { processPayment } from './process-payment.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/**
 * A capture, reversal or refund of the payment with this id (operations 3.1). Together they never exceed the amount,
 * however many arrive at once. If the state of the payment forbids it, the response is 700.* and nothing is stored. If
 * the acquirer declines it, it is stored as a failed payment.
 */
export async function referencePayment(
  context: CoreContext,
  id: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<PaymentResponse> {
  return refer(context, id, received, { caller });
}

/**
 * Reverses everything that is left of the payment with this id. The amount is determined under the lock of its family,
 * so that two reversals at once never exceed it.
 */
export async function reverseRemaining(
  context: CoreContext,
  id: string,
  received: ReceivedParameters,
  caller: Caller,
): Promise<PaymentResponse> {
  const type = received.values['paymentType'];
  return refer(context, id, received, { caller, remaining: type === undefined || type === 'RV' });
}

async function refer(
  context: CoreContext,
  id: string,
  received: ReceivedParameters,
  { caller, ...options }: { readonly caller: Caller; readonly remaining?: boolean },
): Promise<PaymentResponse> {
  const checked = checkRequest(context, received, { kind: 'reference', caller, options });
  if (!checked.ok) return checked.response;
  const parameters = checked.value;
  const other = parameters['referenceUuid'];
  if (other !== undefined && other !== id) {
    const message = 'referenceUuid and the path name different payments';
    return refuse(context, '200.300.404', [{ name: 'referenceUuid', value: other, message }]);
  }
  const notFound = () => refuse(context, '700.400.580');
  return processPayment(context, (tx) => prepareReference(context, tx, { id, parameters, caller, notFound }));
}

/** A capture, reversal or refund of the payment with this id. */
export interface ReferenceRequest {
  readonly id: string;
  readonly parameters: ParameterValues;
  readonly caller: Caller;
  /** The response if the caller has no such payment. */
  readonly notFound: () => ErrorResponse;
}

/** Locks the family and decides whether the request is allowed, and for which amount. */
export async function prepareReference(
  context: CoreContext,
  tx: Tx,
  { id, parameters, caller, notFound }: ReferenceRequest,
): Promise<Checked<PaymentIntent>> {
  const type = parameters['paymentType'];
  if (!isReferencing(type)) return rejected(refuse(context, '200.300.404'));
  const locked = await lockPayment(context, tx, id, caller);
  if (locked === undefined || isOtherEntity(parameters['entityId'], locked.payment))
    return rejected(notFound());
  const verdict = judgeReference(
    { paymentType: type, amountMinor: readAmount(parameters['amount']), currency: parameters['currency'] },
    locked.target,
    locked.family,
  );
  if (!verdict.allowed) return rejected(refuse(context, verdict.code));
  // The target of a refund of a captured PA is its capture.
  const referenced =
    verdict.targetId === id ? locked.payment : await findStoredPayment(context, tx, verdict.targetId, {});
  if (referenced === undefined) return rejected(notFound());
  if (isOtherBrand(parameters['paymentBrand'], referenced)) return rejected(refuse(context, '700.100.400'));
  return accepted({
    paymentType: type,
    amountMinor: verdict.amountMinor,
    currency: verdict.currency,
    parameters,
    referenced,
    registration: null,
    checkoutId: null,
  });
}

/** Whether a payment of the type captures, reverses or refunds another one. */
export function isReferencing(type: string | undefined): type is ReferencingType {
  return type === 'CP' || type === 'RV' || type === 'RF';
}
