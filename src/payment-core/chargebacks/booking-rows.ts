import type { Tx } from '../../db/client.js';

/** A chargeback (CB) that references a payment, or its reversal (CR) that references the chargeback. */
export interface ChargebackBooking {
  /** 32 lower-case hexadecimal characters; booking the same id again changes nothing. */
  readonly id: string;
  /** CB is a chargeback, CR its reversal. */
  readonly paymentType: 'CB' | 'CR';
  /** Of CB the payment that was charged back, of CR the chargeback. */
  readonly referencedPaymentId: string;
  /** Integer hundredths of `currency`. */
  readonly amountMinor: bigint;
  /** That of the record, not of its settlement. */
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

/** The result code of a booking: the reason of the chargeback where it is a result code. */
function resultCodeOf(booking: ChargebackBooking): string {
  if (booking.paymentType === 'CR') return reversed;
  const { reasonCode: given } = booking;
  return given !== null && reasonCode.test(given) ? given : chargebackWithoutReason;
}

/** The bookings as rows `b`, each with its result code. */
export function bookingRows(tx: Tx, bookings: readonly ChargebackBooking[]): ReturnType<Tx> {
  const column = (pick: (booking: ChargebackBooking) => string) => bookings.map(pick);
  return tx`unnest(
      ${column(({ id }) => id)}::text[],
      ${column(({ paymentType }) => paymentType)}::text[],
      ${column(({ amountMinor }) => amountMinor.toString())}::bigint[],
      ${column(({ currency }) => currency)}::text[],
      ${column(resultCodeOf)}::text[],
      ${column(({ bookedAt }) => bookedAt)}::timestamptz[],
      ${column(({ referencedPaymentId }) => referencedPaymentId)}::text[]
    ) as b (id, payment_type, amount_minor, currency, result_code, booked_at, referenced)`;
}
