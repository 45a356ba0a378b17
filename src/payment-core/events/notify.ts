import type { Tx } from '../../db/client.js';
import type { CoreContext } from '../core/core-context.js';
import { storedMoment } from '../core/moments.js';
import type { StoredPayment } from '../payments/stored-payment.js';
import { notificationPayload } from '../responses/payment-response.js';
import { stampResponse } from '../responses/stamp-response.js';
import { insertEvents, type EventAction } from './record-events.js';

/** Records a notification about a payment that this transaction created or changed (operations 6). */
export async function notifyOfPayment(
  context: CoreContext,
  tx: Tx,
  action: EventAction,
  payment: StoredPayment,
): Promise<void> {
  const stamp = { ...stampResponse(context), ndc: payment.details?.ndc ?? payment.id };
  const payload = notificationPayload(payment, stamp);
  await insertNotification(tx, context, { type: 'PAYMENT', action, resource: payment, payload });
}

/** Records a notification about a registration that this transaction created or deleted. */
export async function notifyOfRegistration(
  context: CoreContext,
  tx: Tx,
  action: EventAction,
  resource: Resource,
  payload: object,
): Promise<void> {
  await insertNotification(tx, context, { type: 'REGISTRATION', action, resource, payload });
}

interface Resource {
  readonly id: string;
  readonly entityId: string | null;
}

interface Notification {
  readonly type: 'PAYMENT' | 'REGISTRATION';
  readonly action: EventAction;
  readonly resource: Resource;
  readonly payload: object;
}

async function insertNotification(
  tx: Tx,
  context: CoreContext,
  { type, action, resource, payload }: Notification,
): Promise<void> {
  const { environment } = context;
  const { id: resourceId, entityId } = resource;
  const occurredAt = storedMoment(context.clock());
  const event = { type, action, resourceId, environment, entityId, payload, occurredAt };
  await insertEvents(tx, [event]);
}
