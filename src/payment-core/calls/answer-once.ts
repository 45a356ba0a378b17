import type { Caller, CoreContext } from '../core/core-context.js';
import type { KeyClaim } from '../core/key-claim.js';
import { ownerOfKey } from '../core/owner-of-key.js';
import { unusableKey } from '../core/receive.js';
import { checkoutResponse, type CheckoutResponse } from '../checkouts/checkout-response.js';
import { findCheckout } from '../checkouts/stored-checkout.js';
import { getJob } from '../jobs/change-job.js';
import { getPayment } from '../payments/get-payment.js';
import { reading } from '../core/transactions.js';
import type { ErrorResponse, RegistrationResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import { findRegistration } from '../stored-registrations/find-registration.js';
import { registrationResponse } from '../stored-registrations/registration-response.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';
import { fingerprintOf } from '../idempotency/idempotency-key.js';
import {
  findKeyUse,
  keepAnswer,
  KeyInFlight,
  KeyWasUsed,
  type KeyUse,
} from '../idempotency/keyed-operation.js';

interface KeyedRequest {
  readonly operation: string;
  /** The ids that the request names besides its parameters. */
  readonly ids: readonly string[];
  readonly received: ReceivedParameters;
}

/** The same request is in progress. */
const inProgress = '800.700.100';

/**
 * Makes an operation once for each idempotency key of an entity. The same request again gets the answer of the first
 * one, another request with the key is refused, and so is a second one while the first is in progress. A request that
 * stored nothing does not use its key.
 */
export async function answerOnce<T extends object>(
  context: CoreContext,
  caller: Caller,
  request: KeyedRequest,
  work: (context: CoreContext) => Promise<T>,
): Promise<T | ErrorResponse> {
  const { idempotencyKey } = caller;
  if (idempotencyKey === undefined) return work(context);
  if (idempotencyKey === unusableKey) return refuseKey(context, 'must have 1 to 255 characters');
  const claim: KeyClaim = {
    entityId: ownerOfKey(caller, request.received.values['entityId']),
    key: idempotencyKey,
    fingerprint: fingerprintOf(context.vault, request.operation, request.ids, request.received),
    isUsed: false,
  };
  const before = await findKeyUse(context, claim);
  if (before !== undefined) return answerOfUse(context, caller, { claim, request }, before);
  const made = await attempt(() => work({ ...context, claim }));
  if (made === 'in flight') return refuse(context, inProgress);
  if (made !== 'used' && claim.isUsed) {
    await keepAnswer(context, claim, made.response);
    return made.response;
  }
  // Nothing was stored, perhaps because the same request was faster.
  const after = await findKeyUse(context, claim);
  if (after !== undefined) return answerOfUse(context, caller, { claim, request }, after);
  return made === 'used' ? refuse(context, inProgress) : made.response;
}

function refuseKey(context: CoreContext, reason: string): ErrorResponse {
  const name = 'Idempotency-Key';
  return refuse(context, '200.300.404', [{ name, value: null, message: `${name} ${reason}` }]);
}

async function attempt<T>(work: () => Promise<T>): Promise<{ response: T } | 'in flight' | 'used'> {
  try {
    return { response: await work() };
  } catch (thrown) {
    if (thrown instanceof KeyInFlight) return 'in flight';
    if (thrown instanceof KeyWasUsed) return 'used';
    throw thrown;
  }
}

async function answerOfUse(
  context: CoreContext,
  caller: Caller,
  { claim, request }: { readonly claim: KeyClaim; readonly request: KeyedRequest },
  use: KeyUse,
): Promise<ErrorResponse> {
  if (use.fingerprint !== claim.fingerprint) {
    return refuseKey(context, 'was used for another request');
  }
  // `keepAnswer` wrote it.
  if (use.answer !== null) return JSON.parse(use.answer) as ErrorResponse;
  switch (use.resource) {
    case 'payment':
      return getPayment(context, use.resourceId, caller);
    case 'registration':
      return answerAboutRegistration(context, use.resourceId, caller);
    case 'checkout':
      return answerAboutCheckout(context, use.resourceId, caller, request);
    case 'job':
      return getJob(context, use.resourceId, caller);
  }
}

/** The answer to its creation, or to its deletion, which shows it as it was. */
async function answerAboutRegistration(
  context: CoreContext,
  id: string,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  const found = await reading(() => findRegistration(context, context.sql, { id, caller, lock: 'none' }));
  return found === undefined ? refuse(context, '100.150.200') : registrationResponse(context, found);
}

/** The answer to its creation or its change, whatever became of it since then. */
async function answerAboutCheckout(
  context: CoreContext,
  id: string,
  caller: Caller,
  { operation }: KeyedRequest,
): Promise<CheckoutResponse> {
  const found = await reading(() => findCheckout(context, context.sql, { id, caller, lock: 'none' }));
  const code = operation === 'checkouts.update' ? '000.200.101' : '000.200.100';
  return checkoutResponse(context, id, code, found?.stored.open['integrity'] === 'true');
}
