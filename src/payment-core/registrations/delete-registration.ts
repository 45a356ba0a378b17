import type { Caller, CoreContext } from '../core/core-context.js';
import { storedMoment } from '../values/moments.js';
import { mustHaveWritten } from '../core/transactions.js';
import { registrationEvent } from '../events/notify.js';
import { insertEvents } from '../events/record-events.js';
import { inKeyedTransaction, useKey } from '../idempotency/keyed-operation.js';
import type { ErrorResponse, RegistrationResponse } from '../responses/response-types.js';
import { registrationResponse } from '../stored-registrations/registration-response.js';
import { findUsableRegistration } from '../stored-registrations/find-registration.js';

/**
 * Deletes a registration: its account number is wiped, its row stays. Deletion waits for payments in progress with
 * the registration, and no payment starts with it afterwards.
 *
 * @returns the registration as it was; 100.150.200 when it does not exist, 100.150.202 when it was deleted before
 */
export async function deleteRegistration(
  context: CoreContext,
  id: string,
  caller: Caller,
): Promise<RegistrationResponse | ErrorResponse> {
  return inKeyedTransaction(context, async (tx) => {
    const found = await findUsableRegistration(context, tx, { id, caller, lock: 'update' });
    if (!found.ok) return found.response;
    const deleted = await tx`
      update registrations set deleted_at = ${storedMoment(context.clock())}::text::timestamptz,
        account_sealed = null, account_key_id = null
      where id = ${id}`;
    mustHaveWritten(deleted);
    const response = registrationResponse(context, found.value);
    await insertEvents(tx, [registrationEvent(context, 'DELETED', found.value, response)]);
    await useKey(context, tx, 'registration', id);
    return response;
  });
}
