import type { Tx } from '../../db/client.js';
import { recordPaymentEvents } from '../events/record-events.js';

/** A chargeback (CB) that references a payment, or its reversal (CR) that references the chargeback. */
export interface ChargebackBooking {
  /** 32 lower-case hexadecimal characters; booking the same id again changes nothing. */
  readonly id: string;
  readonly paymentType: 'CB' | 'CR';
  readonly referencedPaymentId: string;
  /** Integer hundredths of `currency`. */
  readonly amountMinor: bigint;
  readonly currency: string;
  /** The value of the settlement record. */
  readonly reasonCode: string | null;
  /** ISO moment with offset. */
  readonly bookedAt: string;
}

/** The shape of a reason code that is also a result code (`chargebackResultCode`). */
const reasonCode = /^000\.100\.2\d\d$/;
const chargebackWithoutReason = '000.100.200';
const reversed = '000.000.000';

/**
 * Books chargebacks and their reversals as payments, within the caller's transaction. Entity and brand come from
 * the payment that is charged back. Idempotent by id. Each new one is recorded in the outbox (operations 6) in the
 * same transaction.
 *
 * @returns how many were new
 */
export async function bookChargebacks(
  tx: Tx,
  bookings: readonly ChargebackBooking[],
): Promise<{ readonly booked: number }> {
  // A reversal copies from its chargeback, which may be among the same bookings.
  const chargebacks = await book(
    tx,
    bookings.filter(({ paymentType }) => paymentType === 'CB'),
  );
  const reversals = await book(
    tx,
    bookings.filter(({ paymentType }) => paymentType === 'CR'),
  );
  return { booked: chargebacks + reversals };
}

async function book(tx: Tx, bookings: readonly ChargebackBooking[]): Promise<number> {
  if (bookings.length === 0) return 0;
  const column = (pick: (booking: ChargebackBooking) => string) => bookings.map(pick);
  const inserted = await tx<{ id: string }[]>`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id,
      requested_at, referenced_payment_id)
    select b.id, b.payment_type, p.payment_brand, b.amount_minor, b.currency, b.result_code, p.entity_id,
      b.booked_at, b.referenced
    from unnest(
      ${column(({ id }) => id)}::text[],
      ${column(({ paymentType }) => paymentType)}::text[],
      ${column(({ amountMinor }) => amountMinor.toString())}::bigint[],
      ${column(({ currency }) => currency)}::text[],
      ${column(resultCodeOf)}::text[],
      ${column(({ bookedAt }) => bookedAt)}::timestamptz[],
      ${column(({ referencedPaymentId }) => referencedPaymentId)}::text[]
    ) as b (id, payment_type, amount_minor, currency, result_code, booked_at, referenced)
    left join (
      -- Named here, so that each shard looks them up: a join would fetch all payments.
      select id, payment_brand, entity_id from payments
      where id = any (${column(({ referencedPaymentId }) => referencedPaymentId)}::text[])
    ) p on p.id = b.referenced collate "C"
    order by b.id
    on conflict do nothing
    returning id`;
  await recordPaymentEvents(
    tx,
    inserted.map(({ id }) => id),
  );
  return inserted.length;
}

/** The result code of a booking: the reason of the chargeback where it is a result code. */
export function resultCodeOf(booking: ChargebackBooking): string {
  if (booking.paymentType === 'CR') return reversed;
  const { reasonCode: given } = booking;
  return given !== null && reasonCode.test(given) ? given : chargebackWithoutReason;
}
