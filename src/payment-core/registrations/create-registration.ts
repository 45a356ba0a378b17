import type { Caller, CoreContext } from '../core/core-context.js';
import { checkRequest } from '../core/check-request.js';
import { inOneTransaction } from '../idempotency/keyed-operation.js';
import { canBeRegistered } from '../instruments/read-instrument.js';
import { whyNotRegistered } from '../stored-registrations/why-not-registered.js';
import type { ErrorResponse, RegistrationResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import { describeRegistration } from '../stored-registrations/describe-registration.js';
import { storeRegistration } from '../stored-registrations/store-registration.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';

/**
 * Stores payment details without a payment (operations 4, /registrations). The account number is sealed. The
 * security code is not stored.
 *
 * @returns the registration; 100.150.100 for an instrument that has no account number (a wallet token)
 */
export async function createRegistration(
  context: CoreContext,
  received: ReceivedParameters,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  return register(context, 'registration', received, caller);
}

/**
 * Takes over a recurring payment from another system (catalogue 2.19) as a registration with the data of the
 * INITIAL transaction. Its first reference is used as the scheme's reference.
 */
export async function createMigration(
  context: CoreContext,
  received: ReceivedParameters,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  return register(context, 'migration', received, caller);
}

async function register(
  context: CoreContext,
  kind: 'registration' | 'migration',
  received: ReceivedParameters,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  const checked = checkRequest(context, received, { kind, caller });
  if (!checked.ok) return checked.response;
  const request = checked.value;
  if (!canBeRegistered(request)) return refuse(context, '100.150.100', whyNotRegistered(request));
  const initialTransactionId =
    request['standingInstruction.initialTransactionId'] ??
    request['recurringMigration.connectorTxId1'] ??
    null;
  const described = describeRegistration(context, { parameters: request, initialTransactionId });
  await inOneTransaction(context, {
    resource: 'registration',
    resourceId: described.registration.id,
    store: (sql) => storeRegistration(context, sql, described),
  });
  return described.response;
}
