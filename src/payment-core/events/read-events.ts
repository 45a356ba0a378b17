import type { Sql, Tx } from '../../db/client.js';
import { ReconError } from '../../errors.js';
import type { Caller, CoreContext } from '../core/core-context.js';
import { ofEntities } from '../core/of-entities.js';
import { wholeFrom, type OptionKinds } from '../core/option-names.js';
import { storedMoment } from '../values/moments.js';
import { inTransaction, reading } from '../core/transactions.js';
import type { PaymentResponse, RegistrationResponse } from '../responses/response-types.js';
import type { Environment } from '../fields/request-kinds.js';
import type { EventAction } from './record-events.js';

/** What all notifications have. */
interface Event<Type extends string, Payload> {
  /** The number of the event, as text. Later events of a payment have higher numbers. */
  readonly sequence: string;
  /** The environment of the payment. Each environment has a separate queue. */
  readonly environment: Environment;
  readonly type: Type;
  readonly action: EventAction;
  /** The response at the moment of the event; of a payment, with `referencedId` and the presentation amount. */
  readonly payload: Payload;
}

/** A notification (operations 6). Its `type` says what its `payload` is. */
export type PaymentEvent = Event<'PAYMENT', PaymentResponse> | Event<'REGISTRATION', RegistrationResponse>;

/** How many events are read. */
export interface ReadOptions {
  /** From 1, default 100; more than 500 are never read at once. */
  readonly limit?: number;
}

/** The values that the members of {@link ReadOptions} may have. */
export const readOptions: OptionKinds<ReadOptions> = { limit: wholeFrom(1) };

const defaultEvents = 100;
const mostEvents = 500;

/**
 * The oldest unacknowledged notifications, in their order: those of the core's environment and, if a caller is given,
 * of its entities. An event that follows from another is never returned before it. Reading changes nothing: an event
 * is returned again until it is acknowledged.
 */
export async function readEvents(
  context: CoreContext,
  { limit = defaultEvents }: ReadOptions,
  caller: Caller,
): Promise<PaymentEvent[]> {
  const { sql } = context;
  const rows = await reading(
    () => sql<{ event: string }[]>`
      select jsonb_build_object('sequence', sequence::text, 'environment', environment, 'type', type,
        'action', action, 'payload', payload)::text as event
      from payment_events
      where acknowledged_at is null and ${isInQueue(sql, context, caller)}
      order by sequence limit ${Math.min(limit, mostEvents)}::int`,
  );
  // The statement above builds the document.
  return rows.map(({ event }) => JSON.parse(event) as PaymentEvent);
}

/** Copies the sequences of a call at the moment of the call. What is not a list of texts is `undefined`. */
export function receiveSequences(sequences: unknown): readonly string[] | undefined {
  if (!Array.isArray(sequences)) return undefined;
  const given: readonly unknown[] = sequences.slice();
  return given.every((one) => typeof one === 'string') ? given : undefined;
}

/**
 * Marks notifications as delivered, so that they are not returned again. Notifications of the other environment or
 * of other entities stay unchanged, and a text that is not a sequence has no effect.
 *
 * @returns how many were newly acknowledged
 * @throws ReconError USAGE_INVALID for what is not a list of texts: otherwise a program that passes one sequence
 *   without a list would send every notification again and again
 */
export async function acknowledgeEvents(
  context: CoreContext,
  sequences: readonly string[] | undefined,
  caller: Caller,
): Promise<{ readonly acknowledged: number }> {
  if (sequences === undefined) {
    throw new ReconError(
      'USAGE_INVALID',
      'events.acknowledge: sequences must be a list of texts, each the sequence of an event. Nothing was done.',
    );
  }
  const known = sequences.filter((one) => /^\d{1,18}$/.test(one));
  return inTransaction(context.sql, async (tx) => {
    const rows = await tx`
      update payment_events set acknowledged_at = ${storedMoment(context.clock())}::text::timestamptz
      where acknowledged_at is null and ${isInQueue(tx, context, caller)}
        and sequence in (select jsonb_array_elements_text(${JSON.stringify(known)}::text::jsonb)::bigint)`;
    return { acknowledged: rows.count };
  });
}

function isInQueue(sql: Sql | Tx, context: CoreContext, caller: Caller) {
  return sql`environment = ${context.environment}
    and ${ofEntities(sql, 'entity_id', caller.entityIds)}`;
}
