import type { Fragment, Sql, Tx } from '../../db/client.js';
import { notificationPayload, paymentResponse } from '../stored-payments/payment-response.js';
import { readPayment, selectPayment, type PaymentTextRow } from '../stored-payments/payment-document.js';
import { responseTimestamp } from '../values/moments.js';
import { buildNumber } from '../core/build-number.js';
import { environments, type Environment } from '../fields/request-kinds.js';

/** What happened to the payment or registration of a notification. */
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
export function insertionOfEvents(sql: Sql | Tx, events: readonly NewEvent[], condition: Fragment) {
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
  const rows = await tx<(PaymentTextRow & Owner)[]>`
    select ${selectPayment(tx)}, ${ownerColumns(tx)}
    from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) with ordinality as wanted (id, place)
    join payments p on p.id = wanted.id collate "C" and p.id = any (${[...ids]}::text[])
    left join payment_details d on d.payment_key = p.key
    order by wanted.place`;
  const ownerOf = await ownersOf(tx, rows);
  await insertEvents(
    tx,
    rows.map((row) => {
      const payment = readPayment(row);
      const { environment, entityId } = ownerOf(row);
      return {
        type: 'PAYMENT',
        action,
        resourceId: payment.id,
        environment,
        entityId,
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

/** The environment and entity that are stored with a payment, and the payment to which it refers. */
interface Owner {
  readonly environment: Environment | null;
  readonly entityId: string | null;
  readonly referencedId: string | null;
}

const ownerColumns = (tx: Tx) =>
  tx`d.environment, p.entity_id as "entityId", p.referenced_payment_id as "referencedId"`;

/**
 * To whom each of the payments belongs: a chargeback to the owner of its payment, and the reversal of a chargeback to
 * the owner of the chargeback's payment.
 *
 * The payments that they refer to are read by their ids, one level after the other, and not joined: a join that also
 * named these ids, so that shards look them up, prepared the list of 5,000 ids again for each of 5,000 payments.
 */
async function ownersOf(
  tx: Tx,
  payments: readonly Owner[],
): Promise<(payment: Owner) => Pick<Owner, 'environment' | 'entityId'>> {
  const referenced = await readReferenced(tx, payments);
  const indirect = await readReferenced(tx, [...referenced.values()]);
  return (payment) => {
    const parent = referenced.get(payment.referencedId ?? '');
    const grandparent = indirect.get(parent?.referencedId ?? '');
    return {
      environment: payment.environment ?? parent?.environment ?? grandparent?.environment ?? null,
      entityId: payment.entityId ?? parent?.entityId ?? grandparent?.entityId ?? null,
    };
  };
}

/** The payments to which the given ones refer, by id. */
async function readReferenced(tx: Tx, payments: readonly Owner[]): Promise<ReadonlyMap<string, Owner>> {
  const ids = new Set(payments.flatMap(({ referencedId }) => referencedId ?? []));
  if (ids.size === 0) return new Map();
  const rows = await tx<(Owner & { id: string })[]>`
    select p.id, ${ownerColumns(tx)}
    from payments p left join payment_details d on d.payment_key = p.key
    where p.id = any (${[...ids]}::text[])`;
  return new Map(rows.map((row) => [row.id, row]));
}
