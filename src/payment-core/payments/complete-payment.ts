import type { Caller, CoreContext } from '../core/core-context.js';
import { accepted, rejected } from '../core/check-request.js';
import { inTransaction } from '../core/transactions.js';
import type { AnswerReading } from '../connectors/read-answer.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import { queueStatusUpdate } from '../events/queue-status-update.js';
import { refuse } from '../responses/stamp-response.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { lockFamily } from './lock-family.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import { giveOutcome } from './give-outcome.js';
import { isOpen } from './payment-family.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';

/** The outcome of a payment that was waiting: a result code, or the acquirer's whole answer. */
export type Completion = ConnectorAnswer;

/**
 * Completes a payment that is pending (the shopper came back, the acquirer decided) or whose outcome was uncertain.
 * The first completion decides; a later one returns the payment unchanged.
 *
 * @returns the payment; 700.400.580 when it does not exist; 700.300.300 when the core did not process it
 */
export async function completePayment(
  context: CoreContext,
  id: string,
  reading: AnswerReading,
  caller: Caller,
): Promise<PaymentResponse> {
  if (reading.issues.some(({ field, reason }) => field === 'resultCode' && reason === 'is missing')) {
    const message = 'resultCode is required';
    return refuse(context, '200.300.404', [{ name: 'resultCode', value: null, message }]);
  }
  if (reading.issues.length > 0) {
    const details = { paymentId: id, issues: reading.issues };
    context.logger.warn(
      details,
      'A completion does not match the specification. The field issues lists what was changed.',
    );
  }
  const done = await inTransaction(context.sql, async (tx) => {
    const visible = await findStoredPayment(context, tx, id, caller);
    if (visible === undefined) return rejected(refuse(context, '700.400.580'));
    if (visible.details === null) return rejected(refuse(context, '700.300.300'));
    await lockFamily(context, tx, id);
    const updated = await giveOutcome(context, tx, id, reading.answer);
    // An answer may leave it pending. The outcome is sent once, so it must be the last one.
    if (updated !== undefined && !isOpen(updated)) await queueStatusUpdate(context, tx, updated);
    return accepted(updated ?? (await findStoredPayment(context, tx, id, caller)) ?? visible);
  });
  return done.ok ? respondWithPayment(context, done.value) : done.response;
}
