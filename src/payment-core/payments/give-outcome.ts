import type { Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import { storedMoment } from '../values/moments.js';
import { mustHaveWritten } from '../core/transactions.js';
import type { ConnectorAnswer } from '../connectors/connector.js';
import { paymentEvent } from '../events/notify.js';
import { insertEvents } from '../events/record-events.js';
import { maskAnswer } from './mask-answer.js';
import { isOpen } from './payment-family.js';
import { storeRegistrationOfPayment } from './registration-of-payment.js';
import type { StoredPayment } from '../stored-payments/payment-content.js';
import { findStoredPayment } from '../stored-payments/find-stored-payment.js';

/**
 * Stores the outcome of an open payment, the registration that it makes, and its notification. A payment that already
 * has an outcome keeps it.
 *
 * @returns the updated payment, or undefined when it was no longer open
 */
export async function giveOutcome(
  context: CoreContext,
  tx: Tx,
  id: string,
  answer: ConnectorAnswer,
): Promise<StoredPayment | undefined> {
  await tx`select 1 from payments where id = ${id} for update`;
  const payment = await findStoredPayment(context, tx, id, {});
  if (payment?.details === undefined || payment.details === null || !isOpen(payment)) return undefined;
  const { redirect: _, ...before } = payment.details.answer;
  const kept = maskAnswer(answer);
  const details = { ...payment.details, answer: { ...before, ...kept } };
  const { connectorTxIds: given = [] } = answer;
  // An answer whose references were left out says nothing about those that are stored.
  const connectorTxIds = given.length === 0 ? payment.connectorTxIds : given.slice(0, 3);
  const [tx1 = null, tx2 = null, tx3 = null] = connectorTxIds;
  const brand = payment.paymentBrand ?? answer.brandResult ?? null;
  const updated = await tx`
    update payments set result_code = ${answer.resultCode}, payment_brand = ${brand}, connector_tx_id1 = ${tx1},
      connector_tx_id2 = ${tx2}, connector_tx_id3 = ${tx3}
    where id = ${id}`;
  mustHaveWritten(updated);
  const described = await tx`
    update payment_details set answer = ${JSON.stringify(details.answer)}::text::jsonb,
      responded_at = ${storedMoment(context.clock())}::text::timestamptz
    where payment_key = ${payment.key}::text::bigint`;
  mustHaveWritten(described);
  const stored = await storeRegistrationOfPayment(context, tx, {
    ...payment,
    resultCode: answer.resultCode,
    connectorTxIds,
    paymentBrand: brand,
    details,
  });
  await insertEvents(tx, [paymentEvent(context, 'UPDATED', stored)]);
  return stored;
}
