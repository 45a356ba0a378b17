import type { Sql, Tx } from '../../db/client.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import { storedMoment } from '../values/moments.js';
import { inTransaction, reading } from '../core/transactions.js';
import type { PaymentResponse, RegistrationResponse } from '../responses/response-types.js';
import type { Environment } from '../fields/request-kinds.js';
import type { ReceivedParameters } from '../validation/receive-parameters.js';
import type { EventAction } from './record-events.js';

interface Event<Type extends string, Payload> {
  /** The number of the event, as text. Later events of a payment have higher numbers. */
  readonly sequence: string;
  /** The environment of the payment. Each environment has a separate queue. */
  readonly environment: Environment;
  readonly type: Type;
  readonly action: EventAction;
  readonly payload: Payload;
}

/** A notification (operations 6). Its `type` says what its `payload` is. */
export type PaymentEvent = Event<'PAYMENT', PaymentResponse> | Event<'REGISTRATION', RegistrationResponse>;

/** How many events are read. */
export interface ReadOptions {
  /** 1-500, default 100. */
  readonly limit?: number;
}

const mostEvents = 500;

/**
 * The oldest unacknowledged notifications, in their order: those of the core's environment and, if a caller is given,
 * of its entities. An event that follows from another is never returned before it. Reading changes nothing: an event
 * is returned again until it is acknowledged.
 *
 * @param options `limit`: 1-500, default 100
 */
export async function readEvents(
  context: CoreContext,
  options: ReceivedParameters,
  caller: Caller,
): Promise<PaymentEvent[]> {
  const { sql } = context;
  const { limit } = options.values;
  const wanted = typeof limit === 'number' && !Number.isNaN(limit) ? limit : 100;
  const bounded = Math.min(Math.max(Math.trunc(wanted), 1), mostEvents);
  const rows = await reading(
    () => sql<{ event: string }[]>`
      select jsonb_build_object('sequence', sequence::text, 'environment', environment, 'type', type,
        'action', action, 'payload', payload)::text as event
      from payment_events
      where acknowledged_at is null and ${isInQueue(sql, context, caller)}
      order by sequence limit ${bounded}::int`,
  );
  // The statement above builds the document.
  return rows.map(({ event }) => JSON.parse(event) as PaymentEvent);
}

/** Copies the sequences of a call at the moment of the call. Invalid ones are left out. */
export function receiveSequences(sequences: unknown): readonly string[] {
  if (!Array.isArray(sequences)) return [];
  const given: readonly unknown[] = sequences.slice();
  return given.filter((one): one is string => typeof one === 'string' && /^\d{1,18}$/.test(one));
}

/**
 * Marks notifications as delivered, so that they are not returned again. Notifications of the other environment or
 * of other entities stay unchanged.
 *
 * @returns how many were newly acknowledged
 */
export async function acknowledgeEvents(
  context: CoreContext,
  sequences: readonly string[],
  caller: Caller,
): Promise<{ readonly acknowledged: number }> {
  return inTransaction(context.sql, async (tx) => {
    const rows = await tx`
      update payment_events set acknowledged_at = ${storedMoment(context.clock())}::text::timestamptz
      where acknowledged_at is null and ${isInQueue(tx, context, caller)}
        and sequence in (select jsonb_array_elements_text(${JSON.stringify(sequences)}::text::jsonb)::bigint)`;
    return { acknowledged: rows.count };
  });
}

function isInQueue(sql: Sql | Tx, context: CoreContext, caller: Caller) {
  return sql`environment = ${context.environment}
    and ${ofEntities(sql, 'entity_id', caller.entityIds)}`;
}
