import { amendChargebacks, type ChargebackBooking } from '../../payment-core/index.js';
import type { Tx } from '../fragment.js';

/**
 * Takes the chargeback ids from records that a decision took from their payment (design 4.9), and from the reversals
 * that are linked to them; their bookings in the payment core get the amount 0. Ids are derived from the records, so a
 * record that has a payment again gets the same id and booking as before.
 *
 * Reads `redecided_records` and `new_matches`, makes `released_links`.
 *
 * @returns whether there was any
 */
export async function releaseChargebacks(tx: Tx): Promise<boolean> {
  await tx`create temp table released_links on commit drop as
    with moved as (
      select l.* from redecided_records x
      join new_matches n on n.file_id = x.file_id and n.line = x.line
      join chargeback_links l on l.file_id = x.file_id and l.line = x.line
      where n.status <> 'NOT_APPLICABLE' and (n.status <> 'MATCHED' or n.payment_key <> l.payment_key))
    select * from moved
    union
    select reversal.* from moved m
    join chargeback_links reversal on reversal.chargeback_id = m.chargeback_id
      and reversal.kind = 'CHARGEBACK REVERSAL'
    where m.kind = 'CHARGEBACK' and m.active`;
  const [any] = await tx`select from released_links limit 1`;
  if (any === undefined) return false;
  await tx`delete from chargeback_links l using released_links x where x.file_id = l.file_id and x.line = l.line`;
  await amendChargebacks(tx, await releasedBookings(tx));
  return true;
}

/** The bookings that no record has any more. A person makes such a decision one by one, so they are few. */
async function releasedBookings(tx: Tx): Promise<ChargebackBooking[]> {
  const rows = await tx<ChargebackBooking[]>`
    select l.booking_id as id, b.payment_type as "paymentType", b.referenced_payment_id as "referencedPaymentId",
      0::bigint as "amountMinor", b.currency, b.result_code as "reasonCode",
      to_char(b.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "bookedAt"
    from (select distinct booking_id from released_links) l
    join payments b on b.id = l.booking_id
    where not exists (select from chargeback_links other where other.booking_id = l.booking_id and other.active)
    order by l.booking_id`;
  return [...rows];
}
