import type { CoreContext } from '../core/core-context.js';
import { storedMoment } from '../values/moments.js';
import type { PaymentContent } from '../stored-payments/payment-content.js';
import { notificationPayload, paymentResponse } from '../stored-payments/payment-response.js';
import { stampResponse } from '../responses/stamp-response.js';
import type { EventAction, NewEvent } from './record-events.js';

/** The notification about a payment that is created or changed (operations 6), with the response as payload. */
export function paymentEvent(
  context: CoreContext,
  action: EventAction,
  payment: PaymentContent,
  response = paymentResponse(payment, stampResponse(context, payment.details?.ndc ?? payment.id)),
): NewEvent {
  return eventOf(context, 'PAYMENT', action, payment, notificationPayload(payment, response));
}

/** The notification about a registration that is created or deleted. */
export function registrationEvent(
  context: CoreContext,
  action: EventAction,
  resource: Resource,
  payload: object,
): NewEvent {
  return eventOf(context, 'REGISTRATION', action, resource, payload);
}

interface Resource {
  readonly id: string;
  readonly entityId: string | null;
}

function eventOf(
  context: CoreContext,
  type: NewEvent['type'],
  action: EventAction,
  { id: resourceId, entityId }: Resource,
  payload: object,
): NewEvent {
  const { environment } = context;
  return {
    type,
    action,
    resourceId,
    environment,
    entityId,
    payload,
    occurredAt: storedMoment(context.clock()),
  };
}
