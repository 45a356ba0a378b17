import type postgres from 'postgres';
import type { Sql, Tx } from '../../db/client.js';
import { notificationPayload, paymentResponse } from '../responses/payment-response.js';
import { readPayment, selectPayment, type PaymentRow } from '../payments/payment-document.js';
import { responseTimestamp } from '../core/moments.js';
import { buildNumber } from '../core/build-number.js';
import { environments, type Environment } from '../fields/request-kinds.js';

export type EventAction = 'CREATED' | 'UPDATED' | 'DELETED';

/** A notification that has no number yet (operations 6). */
export interface NewEvent {
  readonly type: 'PAYMENT' | 'REGISTRATION';
  readonly action: EventAction;
  readonly resourceId: string;
  /** Null when it belongs to both environments: then it is written once for each. */
  readonly environment: Environment | null;
  readonly entityId: string | null;
  readonly payload: object;
  /** ISO text. */
  readonly occurredAt: string;
}

/** Writes notifications into the outbox, in this order, as part of the transaction. */
export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length > 0) await insertionOfEvents(tx, events, tx`true`);
}

/** A statement, or the end of one: writes notifications into the outbox, in this order, if the condition holds. */
export function insertionOfEvents(
  sql: Sql | Tx,
  events: readonly NewEvent[],
  condition: postgres.PendingQuery<postgres.Row[]>,
) {
  const queued = events.flatMap((event) =>
    (event.environment === null ? environments : [event.environment]).map((environment) => ({
      ...event,
      environment,
    })),
  );
  return sql`
    insert into payment_events (type, action, resource_id, environment, entity_id, payload, occurred_at)
    select event ->> 'type', event ->> 'action', event ->> 'resourceId', event ->> 'environment',
      event ->> 'entityId', event -> 'payload', (event ->> 'occurredAt')::timestamptz
    from jsonb_array_elements(${JSON.stringify(queued)}::text::jsonb) with ordinality as given (event, place)
    where ${condition}
    order by place`;
}

/**
 * Records notifications about payments that a set-based operation wrote in this transaction, such as chargebacks
 * booked by the reconciliation. Their time is that of the payments, so that the same files lead to the same
 * notifications. Ids that do not exist are left out.
 */
export async function recordPaymentEvents(
  tx: Tx,
  ids: readonly string[],
  action: EventAction = 'CREATED',
): Promise<void> {
  const referenced = await referencedIds(tx, ids);
  const indirect = await referencedIds(tx, referenced);
  const rows = await tx<(PaymentRow & Owner)[]>`
    select ${selectPayment(tx)},
      coalesce(d.environment, d1.environment, d2.environment) as environment,
      coalesce(p.entity_id, p1.entity_id, p2.entity_id) as "entityId"
    from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) with ordinality as wanted (id, place)
    join payments p on p.id = wanted.id collate "C" and p.id = any (${[...ids]}::text[])
    left join payment_details d on d.payment_key = p.key
    -- A chargeback belongs to its payment, and the reversal of a chargeback to the chargeback's payment.
    left join payments p1 on p1.id = p.referenced_payment_id and p1.id = any (${referenced}::text[])
    left join payment_details d1 on d1.payment_key = p1.key
    left join payments p2 on p2.id = p1.referenced_payment_id and p2.id = any (${indirect}::text[])
    left join payment_details d2 on d2.payment_key = p2.key
    order by wanted.place`;
  await insertEvents(
    tx,
    rows.map((row) => {
      const payment = readPayment(row);
      return {
        type: 'PAYMENT',
        action,
        resourceId: payment.id,
        environment: row.environment,
        entityId: row.entityId,
        payload: notificationPayload(
          payment,
          paymentResponse(payment, {
            buildNumber,
            timestamp: responseTimestamp(Date.parse(payment.requestedAt)),
            ndc: payment.details?.ndc ?? payment.id,
          }),
        ),
        occurredAt: payment.requestedAt,
      };
    }),
  );
}

/**
 * The payments that the given ones refer to. Shards look up payments that a statement names by their ids; for a join
 * alone, all payments would be fetched from them.
 */
async function referencedIds(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx<{ id: string }[]>`
    select distinct referenced_payment_id as id from payments
    where id = any (${[...ids]}::text[]) and referenced_payment_id is not null`;
  return rows.map(({ id }) => id);
}

/** The environment and entity that a payment belongs to. */
interface Owner {
  readonly environment: Environment | null;
  readonly entityId: string | null;
}
