import type { CoreContext } from '../core/core-context.js';
import { storedMoment } from '../core/moments.js';
import { within, type CoreTx } from '../core/transactions.js';
import type { StoredPayment } from '../payments/stored-payment.js';
import { notificationPayload } from '../responses/payment-response.js';
import { stampResponse } from '../responses/stamp-response.js';
import { insertEvents, type EventAction } from './record-events.js';

/** Tells of a payment that was created or changed in this transaction (operations 6). */
export async function notifyOfPayment(
  context: CoreContext,
  tx: CoreTx,
  action: EventAction,
  payment: StoredPayment,
): Promise<void> {
  const stamp = { ...stampResponse(context), ndc: payment.details?.ndc ?? payment.id };
  await insertGuarded(tx, context, action, 'PAYMENT', payment.id, notificationPayload(payment, stamp));
}

/** Tells of a registration that was created or deleted in this transaction. */
export async function notifyOfRegistration(
  context: CoreContext,
  tx: CoreTx,
  action: EventAction,
  registration: { readonly id: string },
): Promise<void> {
  await insertGuarded(tx, context, action, 'REGISTRATION', registration.id, registration);
}

async function insertGuarded(
  tx: CoreTx,
  context: CoreContext,
  action: EventAction,
  type: 'PAYMENT' | 'REGISTRATION',
  resourceId: string,
  payload: object,
): Promise<void> {
  await insertEvents(
    tx.sql,
    [{ type, action, resourceId, payload, occurredAt: storedMoment(context.clock()) }],
    within(tx),
  );
}
