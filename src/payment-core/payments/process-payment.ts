import type { Tx } from '../../db/client.js';
import { accepted, type Checked } from '../core/check-request.js';
import type { CoreContext } from '../core/core-context.js';
import { inTransaction } from '../core/transactions.js';
import { askConnector } from '../connectors/ask-connector.js';
import { inKeyedTransaction, useKey } from '../idempotency/keyed-operation.js';
import type { PaymentResponse } from '../responses/response-types.js';
import { cutterOf } from '../secrets/own-numbers.js';
import { codeRemoverOf } from '../secrets/security-codes.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';
import { respondWithPayment } from '../stored-payments/respond-with-payment.js';
import { decidePayment, type BegunPayment } from './decide-payment.js';
import { giveOutcome } from './give-outcome.js';
import { maskAnswer } from './mask-answer.js';
import type { PaymentIntent } from './payment-intent.js';
import { storeSchemeReference } from './registration-of-payment.js';
import { storePayment } from './store-payment.js';

/** Takes locks and decides under them whether the payment may be made. */
export type Prepare = (tx: Tx) => Promise<Checked<PaymentIntent>>;

/**
 * Makes a payment. The simulator answers at once, so everything happens in one transaction. An acquirer is called
 * outside any transaction: the payment is first stored as pending, which reserves its amount, and gets its outcome
 * afterwards. A process that is killed in between leaves a visible pending payment, never an unknown one.
 */
export async function processPayment(context: CoreContext, prepare: Prepare): Promise<PaymentResponse> {
  const first = await inKeyedTransaction(context, (tx) => beginPayment(context, tx, prepare));
  return first.ok ? finishPayment(context, first.value) : first.response;
}

/** The first part of a payment, in the transaction that decides whether it may be made. */
export async function beginPayment(
  context: CoreContext,
  tx: Tx,
  prepare: Prepare,
): Promise<Checked<BegunPayment>> {
  const prepared = await prepare(tx);
  if (!prepared.ok) return prepared;
  const decided = decidePayment(context, prepared.value);
  if (!decided.ok) return decided;
  const { writes, begun } = decided.value;
  // Sent together, in this order.
  await Promise.all([
    storePayment(tx, writes),
    storeSchemeReference(tx, begun.payment),
    useKey(context, tx, 'payment', begun.payment.id),
  ]);
  return accepted(begun);
}

/** Calls the connector if that is still needed, and returns the response. */
export async function finishPayment(
  context: CoreContext,
  { payment, response, ask }: BegunPayment,
): Promise<PaymentResponse> {
  if (ask === null) return response;
  const { connector, request } = ask;
  const answered = await askConnector(connector, request, context.connectorTimeoutMs, context.logger);
  const { parameters } = request;
  const answer = maskAnswer(answered, cutterOf(parameters), codeRemoverOf(parameters));
  const updated = await inTransaction(
    context.sql,
    async (tx) =>
      (await giveOutcome(context, tx, payment.id, answer)) ??
      // Another completion was faster, such as the acquirer's notification.
      findStoredPayment(context, tx, payment.id, {}),
  );
  return updated === undefined ? response : respondWithPayment(context, updated);
}
