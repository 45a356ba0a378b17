import { isDivided } from '../../db/shards/is-divided.js';
import { paymentsWithIds } from '../../db/shards/rows-by-key.js';
import type { ChargebackBooking } from '../../payment-core/index.js';
import { forgetKeys } from '../forget-keys.js';
import type { Fragment, Tx } from '../fragment.js';
import { loadCore } from '../chargebacks/load-core.js';

/**
 * Takes the chargeback ids from records that a decision took from their payment (design 4.9), and from the reversals
 * that are linked to them. Ids are derived from the records, so a record that has a payment again gets the same id and
 * booking as before.
 *
 * A record that does not count has no payment, and the one that it will have later is unknown: its id is taken
 * as well, unless another record has it now. Then the decision takes effect when the record counts again.
 *
 * Reads `redecided_records`, `changed_records` and `new_matches`, makes `released_links`.
 *
 * @returns whether there was any
 */
export async function releaseChargebacks(tx: Tx): Promise<boolean> {
  await tx`create temp table released_links on commit drop as
    with moved as (
      select l.* from (
        select file_id, line from redecided_records union select file_id, line from changed_records where counts) x
      join new_matches n on n.file_id = x.file_id and n.line = x.line
      join chargeback_links l on l.file_id = x.file_id and l.line = x.line
      where case n.status when 'MATCHED' then n.payment_key <> l.payment_key
        when 'NOT_APPLICABLE' then not ${othersHave(tx, tx`l`)} else true end)
    select * from moved
    union
    select reversal.* from moved m
    join chargeback_links reversal on reversal.chargeback_id = m.chargeback_id
      and reversal.kind = 'CHARGEBACK REVERSAL'
    where m.kind = 'CHARGEBACK' and not ${othersHave(tx, tx`m`)}`;
  const [any] = await tx`select from released_links limit 1`;
  if (any === undefined) return false;
  await tx`delete from chargeback_links l using released_links x where x.file_id = l.file_id and x.line = l.line`;
  await forgetKeys(tx, tx`select file_id, line from released_links`);
  return true;
}

/**
 * The bookings of links that were removed and that no record has any more get the amount 0 in the payment core. To be
 * called after `activateLinks`, or at its end: a record that had the id from a released one may have lost it since.
 *
 * @param removed a table of these links
 */
export async function emptyBookings(tx: Tx, removed: Fragment): Promise<void> {
  const { amendChargebacks } = await loadCore();
  await amendChargebacks(tx, await bookingsWithoutRecord(tx, removed));
}

/** Whether another record that counts has the chargeback id of a link. */
function othersHave(tx: Tx, link: Fragment): Fragment {
  return tx`exists (select from chargeback_links other
    where other.chargeback_id = ${link}.chargeback_id and other.kind = ${link}.kind and other.active
      and (other.file_id, other.line) <> (${link}.file_id, ${link}.line))`;
}

/**
 * Those that have an amount are few: a person releases ids one by one, a chargeback hardly ever moves to another
 * payment, and the other bookings of a file that counts no longer are 0 already.
 */
async function bookingsWithoutRecord(tx: Tx, removed: Fragment): Promise<ChargebackBooking[]> {
  const ids = tx`select booking_id collate "default" from ${removed}`;
  const rows = await tx<ChargebackBooking[]>`
    select l.booking_id as id, b.payment_type as "paymentType", b.referenced_payment_id as "referencedPaymentId",
      0::bigint as "amountMinor", b.currency, b.result_code as "reasonCode",
      to_char(b.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "bookedAt"
    from (select distinct booking_id from ${removed}) l
    join ${paymentsWithIds(tx, await isDivided(tx), ids)} b on b.id = l.booking_id
    where b.amount_minor <> 0
      and not exists (select from chargeback_links other where other.booking_id = l.booking_id and other.active)
    order by l.booking_id`;
  return [...rows];
}
