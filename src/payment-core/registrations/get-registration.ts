import type { Caller, CoreContext } from '../core/core-context.js';
import { reading } from '../core/transactions.js';
import type { ErrorResponse, RegistrationResponse } from '../responses/response-types.js';
import { refuse } from '../responses/stamp-response.js';
import { registrationResponse } from '../stored-registrations/registration-response.js';
import { findRegistration } from '../stored-registrations/find-registration.js';

/** @returns the registration; 100.150.200 when it does not exist, 100.150.202 when it was deleted */
export async function getRegistration(
  context: CoreContext,
  id: string,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  const found = await reading(() => findRegistration(context, context.sql, id, caller));
  if (found === undefined) return refuse(context, '100.150.200');
  return found.deleted ? refuse(context, '100.150.202') : registrationResponse(context, found);
}
