import type { Caller, CoreContext } from '../core/core-context.js';
import { accepted, rejected } from '../core/check-request.js';
import { inTransaction } from '../core/transactions.js';
import type { AnswerReading } from '../connectors/read-answer.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import { notifyOfPayment } from '../events/notify.js';
import { refuse } from '../responses/stamp-response.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { concludePayment } from './conclude-payment.js';
import { lockFamily } from './lock-family.js';
import { respond } from './process-payment.js';
import { settlePayment } from './settle-payment.js';
import { findStoredPayment } from './stored-payment.js';

/** How a payment that waited ended: a result code, or all that the acquirer says. */
export type Completion = ConnectorAnswer;

/**
 * Ends a payment that is pending (the shopper came back, the acquirer decided) or whose outcome was uncertain.
 * The first completion decides; a later one is answered with the payment as it is.
 *
 * @returns the payment; 700.400.580 when there is none; 700.300.300 when the core did not process it
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
      'A completion does not fit the specification; see issues for what was changed.',
    );
  }
  const done = await inTransaction(context.sql, async (tx) => {
    const visible = await findStoredPayment(context, tx.sql, id, caller);
    if (visible === undefined) return rejected(refuse(context, '700.400.580'));
    if (visible.details === null) return rejected(refuse(context, '700.300.300'));
    await lockFamily(tx.sql, id);
    const settled = await settlePayment(context, tx, id, reading.answer);
    if (settled === undefined) {
      return accepted((await findStoredPayment(context, tx.sql, id, caller)) ?? visible);
    }
    const payment = await concludePayment(context, tx, settled);
    await notifyOfPayment(context, tx, 'UPDATED', payment);
    return accepted(payment);
  });
  return done.ok ? respond(context, done.value) : done.response;
}
