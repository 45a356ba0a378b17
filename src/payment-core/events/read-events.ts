import type { CoreContext } from '../core/core-context.js';
import { storedMoment } from '../core/moments.js';
import { inTransaction, reading, within } from '../core/transactions.js';
import type { PaymentResponse } from '../responses/response-types.js';
import type { RegistrationResponse } from '../registrations/registration-response.js';
import type { EventAction } from './record-events.js';

/** A notification (operations 6). */
export interface PaymentEvent {
  /** Its number, as text; later events of a payment have higher ones. */
  readonly sequence: string;
  readonly type: 'PAYMENT' | 'REGISTRATION';
  readonly action: EventAction;
  readonly payload: PaymentResponse | RegistrationResponse;
}

const mostEvents = 500;

/**
 * The oldest notifications that nobody acknowledged, in their order. An event that follows from another one is
 * never seen before it. Reading changes nothing: what is not acknowledged comes again.
 *
 * @param limit 1-500, default 100
 */
export async function readEvents(
  context: CoreContext,
  { limit = 100 }: { readonly limit?: number } = {},
): Promise<PaymentEvent[]> {
  const bounded = Math.min(Math.max(Math.trunc(limit), 1), mostEvents);
  const rows = await reading(
    () => context.sql<{ event: string }[]>`
      select jsonb_build_object('sequence', sequence::text, 'type', type, 'action', action,
        'payload', payload)::text as event
      from payment_events where acknowledged_at is null order by sequence limit ${bounded}::int`,
  );
  // The document is built by this very statement.
  return rows.map(({ event }) => JSON.parse(event) as PaymentEvent);
}

/**
 * Marks notifications as delivered; they are not read again.
 *
 * @returns how many were not acknowledged before
 */
export async function acknowledgeEvents(
  context: CoreContext,
  sequences: readonly string[],
): Promise<{ readonly acknowledged: number }> {
  const known = sequences.filter((sequence) => /^\d{1,18}$/.test(sequence));
  return inTransaction(context.sql, async (tx) => {
    const rows = await tx.sql`
      update payment_events set acknowledged_at = ${storedMoment(context.clock())}::text::timestamptz
      where acknowledged_at is null and ${within(tx)}
        and sequence in (select jsonb_array_elements_text(${JSON.stringify(known)}::text::jsonb)::bigint)`;
    return { acknowledged: rows.count };
  });
}
