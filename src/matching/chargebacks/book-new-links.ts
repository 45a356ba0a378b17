import { onCopies } from '../../db/shards/on-copies.js';
import type { ChargebackBooking } from '../../payment-core/index.js';
import type { Fragment, Tx } from '../fragment.js';
import { loadCore } from './load-core.js';

/** Bookings per call: limits the memory and does not change the result. */
const batchSize = 5_000;

type NewBooking = ChargebackBooking & { readonly position: bigint };

/**
 * Books the links of `new_links` in the payment core, chargebacks before their reversals: a CB references the payment,
 * a CR the CB. A booking has the date of the record's settlement, at 00:00 UTC, so that the same files give the same
 * payments whenever they are run.
 *
 * Some may have been booked before: the booking of a record that lost its chargeback id is kept, with the amount 0.
 */
export async function bookNewLinks(tx: Tx): Promise<void> {
  await onRowsOfLinks(tx, async () => {
    await tx`create temp table new_bookings on commit drop as ${bookingsOfLinks(tx)}`;
  });
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
    select position, id, payment_type as "paymentType", referenced as "referencedPaymentId",
      amount_minor as "amountMinor", currency, reason_code as "reasonCode", booked_at as "bookedAt"
    from new_bookings
    where position > ${after}
    order by position
    limit ${batchSize}`;
}

function bookingsOfLinks(tx: Tx): Fragment {
  return tx`
    select l.position, l.booking_id as id, case l.kind when 'CHARGEBACK' then 'CB' else 'CR' end as payment_type,
      case l.kind when 'CHARGEBACK' then p.id else l.chargeback_id end as referenced,
      r.amount_minor, r.currency, r.reason_code, r.settlement_date || 'T00:00:00Z' as booked_at
    from new_links l
    join settlement_records r on r.file_id = l.file_id and r.line = l.line
    join payments p on p.key = l.payment_key`;
}

/** Does work that reads only the records and payments of `new_links`. */
async function onRowsOfLinks(tx: Tx, work: () => Promise<void>): Promise<void> {
  await onCopies(
    tx,
    {
      inputs: [
        {
          name: 'new_links',
          columns: 'file_id integer, line integer, payment_key bigint',
          rows: tx`select file_id, line, payment_key from new_links`,
        },
      ],
      copies: [
        {
          table: 'settlement_records',
          rows: tx`select r.file_id, r.line, r.amount_minor, r.currency, r.reason_code, r.settlement_date
            from new_links l join settlement_records r on r.file_id = l.file_id and r.line = l.line`,
          indexed: 'file_id, line',
        },
        {
          table: 'payments',
          rows: tx`select distinct p.key, p.id from new_links l join payments p on p.key = l.payment_key`,
          indexed: 'key',
        },
      ],
    },
    work,
  );
}
