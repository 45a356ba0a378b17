import type { Tx } from '../../db/client.js';
import { requireConnection } from '../../db/require-connection.js';
import { recordPaymentEvents } from '../events/record-events.js';
import { bookingRows, type ChargebackBooking } from './booking-rows.js';

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
  requireConnection('bookChargebacks', 'tx', tx);
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
  const charged = bookings.map(({ referencedPaymentId }) => referencedPaymentId);
  const inserted = await tx<{ id: string }[]>`
    insert into payments (id, payment_type, payment_brand, amount_minor, currency, result_code, entity_id,
      requested_at, referenced_payment_id)
    select b.id, b.payment_type, p.payment_brand, b.amount_minor, b.currency, b.result_code, p.entity_id,
      b.booked_at, b.referenced
    from ${bookingRows(tx, bookings)}
    left join (
      -- Named here, so that each shard looks them up: a join would fetch all payments.
      select id, payment_brand, entity_id from payments
      where id = any (${charged}::text[])
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
