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
  const payload = notificationPayload(payment, response);
  return { type: 'PAYMENT', action, payload, ...originOf(context, payment) };
}

/** The notification about a registration that is created or deleted. */
export function registrationEvent(
  context: CoreContext,
  action: EventAction,
  resource: Resource,
  payload: object,
): NewEvent {
  return { type: 'REGISTRATION', action, payload, ...originOf(context, resource) };
}

interface Resource {
  readonly id: string;
  readonly entityId: string | null;
}

/** What an event is about, and where and when it happened. */
function originOf(
  { environment, clock }: CoreContext,
  { id: resourceId, entityId }: Resource,
): Omit<NewEvent, 'type' | 'action' | 'payload'> {
  return { resourceId, environment, entityId, occurredAt: storedMoment(clock()) };
}
