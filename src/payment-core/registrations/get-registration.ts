import type { Caller, CoreContext } from '../core/core-context.js';
import { reading } from '../core/transactions.js';
import type { ErrorResponse, RegistrationResponse } from '../responses/response-types.js';
import { registrationResponse } from '../stored-registrations/registration-response.js';
import { findUsableRegistration } from '../stored-registrations/find-registration.js';

/** @returns the registration; 100.150.200 when it does not exist, 100.150.202 when it was deleted */
export async function getRegistration(
  context: CoreContext,
  id: string,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  const found = await reading(() =>
    findUsableRegistration(context, context.sql, { id, caller, lock: 'none' }),
  );
  return found.ok ? registrationResponse(context, found.value) : found.response;
}
