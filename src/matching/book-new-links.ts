import type { Tx } from './fragment.js';
import { loadCore } from './load-core.js';

/** Bookings per call: limits the memory and does not change the result. */
const batchSize = 5_000;

interface NewBooking {
  readonly position: bigint;
  readonly id: string;
  readonly paymentType: 'CB' | 'CR';
  readonly referencedPaymentId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly reasonCode: string | null;
  readonly bookedAt: string;
}

/**
 * Books the links of `new_links` in the payment core, chargebacks before their reversals: a CB references the payment,
 * a CR the CB. A booking has the date of the record's settlement, at 00:00 UTC, so that the same files give the same
 * payments whenever they are run.
 *
 * Some may have been booked before: the booking of a record that lost its chargeback id is kept, with the amount 0.
 */
export async function bookNewLinks(tx: Tx): Promise<void> {
  let last = 0n;
  for (;;) {
    const bookings = await nextBookings(tx, last);
    const newest = bookings.at(-1);
    if (newest === undefined) return;
    const batch = bookings.map(({ position: _, ...booking }) => booking);
    const { amendChargebacks, bookChargebacks } = await loadCore();
    const { booked } = await bookChargebacks(tx, batch);
    if (booked < batch.length) await amendChargebacks(tx, batch);
    last = newest.position;
  }
}

async function nextBookings(tx: Tx, after: bigint): Promise<NewBooking[]> {
  return tx<NewBooking[]>`
    select l.position, l.booking_id as id, case l.kind when 'CHARGEBACK' then 'CB' else 'CR' end as "paymentType",
      case l.kind when 'CHARGEBACK' then p.id else l.chargeback_id end as "referencedPaymentId",
      r.amount_minor as "amountMinor", r.currency, r.reason_code as "reasonCode",
      r.settlement_date || 'T00:00:00Z' as "bookedAt"
    from new_links l
    join settlement_records r on r.file_id = l.file_id and r.line = l.line
    join payments p on p.key = l.payment_key
    where l.position > ${after}
    order by l.position
    limit ${batchSize}`;
}
