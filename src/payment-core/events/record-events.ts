import type { Tx } from '../../db/connect.js';
import { notificationPayload } from '../responses/payment-response.js';
import { readPayment, selectPayment, type PaymentRow } from '../payments/stored-payment.js';
import { responseTimestamp } from '../core/moments.js';
import { mustHaveWritten } from '../core/transactions.js';
import { buildNumber } from '../core/build-number.js';

export type EventAction = 'CREATED' | 'UPDATED' | 'DELETED';

/** A notification before it has its number (operations 6). */
export interface NewEvent {
  readonly type: 'PAYMENT' | 'REGISTRATION';
  readonly action: EventAction;
  readonly resourceId: string;
  readonly payload: object;
  /** ISO text. */
  readonly occurredAt: string;
}

/**
 * Writes notifications into the outbox, in this order, as part of the transaction.
 *
 * @param condition nothing is written, and it throws, unless it holds
 */
export async function insertEvents(tx: Tx, events: readonly NewEvent[], condition = tx`true`): Promise<void> {
  if (events.length === 0) return;
  const written = await tx`
    insert into payment_events (type, action, resource_id, payload, occurred_at)
    select event ->> 'type', event ->> 'action', event ->> 'resourceId', event -> 'payload',
      (event ->> 'occurredAt')::timestamptz
    from jsonb_array_elements(${JSON.stringify(events)}::text::jsonb) with ordinality as given (event, place)
    where ${condition}
    order by place`;
  mustHaveWritten(written, events.length);
}

/**
 * Notifications about payments that a set-based operation wrote in this transaction, such as chargebacks
 * booked by the reconciliation. Their time is the payments' own, so that the same files tell the same. Ids
 * that do not exist are left out.
 */
export async function recordPaymentEvents(
  tx: Tx,
  ids: readonly string[],
  action: EventAction = 'CREATED',
): Promise<void> {
  const rows = await tx<PaymentRow[]>`
    select ${selectPayment(tx)}
    from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) with ordinality as wanted (id, place)
    join payments p on p.id = wanted.id collate "C"
    left join payment_details d on d.payment_key = p.key
    order by wanted.place`;
  await insertEvents(
    tx,
    rows.map(readPayment).map((payment) => ({
      type: 'PAYMENT',
      action,
      resourceId: payment.id,
      payload: notificationPayload(payment, {
        buildNumber,
        timestamp: responseTimestamp(Date.parse(payment.requestedAt)),
        ndc: payment.details?.ndc ?? payment.id,
      }),
      occurredAt: payment.requestedAt,
    })),
  );
}
