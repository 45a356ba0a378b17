import type { Caller, CoreContext, Parameters } from '../core/core-context.js';
import { checkRequest } from '../core/check-request.js';
import { inTransaction } from '../core/transactions.js';
import { canBeRegistered } from '../payments/process-payment.js';
import type { ErrorResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import type { Operation } from '../throttling/admit-request.js';
import type { RegistrationResponse } from './registration-response.js';
import { storeRegistration } from './store-registration.js';

/**
 * Stores payment details without a payment (operations 4, /registrations). The account number is sealed, the
 * security code is not kept.
 *
 * @returns the registration; 100.150.100 for an instrument that has no account number (a wallet token)
 */
export async function createRegistration(
  context: CoreContext,
  parameters: Parameters,
  caller: Caller = {},
): Promise<RegistrationResponse | ErrorResponse> {
  return register(context, 'registrations.create', 'registration', parameters, caller);
}

/**
 * Takes over a recurring payment from another system (catalogue 2.19): a registration with the data of the
 * INITIAL transaction, whose first reference counts as the scheme's.
 */
export async function createMigration(
  context: CoreContext,
  parameters: Parameters,
  caller: Caller = {},
): Promise<RegistrationResponse | ErrorResponse> {
  return register(context, 'migrations.create', 'migration', parameters, caller);
}

async function register(
  context: CoreContext,
  operation: Operation,
  kind: 'registration' | 'migration',
  parameters: Parameters,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  const checked = await checkRequest(context, parameters, { operation, kind, caller });
  if (!checked.ok) return checked.response;
  const request = checked.value;
  if (!canBeRegistered(request)) return refuse(context, '100.150.100');
  const initialTransactionId =
    request['standingInstruction.initialTransactionId'] ??
    request['recurringMigration.connectorTxId1'] ??
    null;
  return inTransaction(context.sql, (tx) =>
    storeRegistration(context, tx, { parameters: request, initialTransactionId }),
  );
}
