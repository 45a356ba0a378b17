import type { Tx } from '../../db/client.js';
import { requireConnection } from '../../db/require-connection.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { askShards } from '../../db/shards/on-shards.js';
import { recordPaymentEvents } from '../events/record-events.js';
import { bookingRows, type ChargebackBooking } from './booking-rows.js';

/**
 * Sets bookings that the reconciliation made to other values, within the caller's transaction: a chargeback whose
 * settlement record was withdrawn or replaced keeps its id, and its amount becomes 0 or that of the new record. A
 * booking of 0 is not an open chargeback. Idempotent; ids that are not a booking of the same type are left alone. Each
 * change is recorded in the outbox (operations 6) in the same transaction.
 *
 * @returns how many were changed
 */
export async function amendChargebacks(
  tx: Tx,
  bookings: readonly ChargebackBooking[],
): Promise<{ readonly amended: number }> {
  requireConnection('amendChargebacks', 'tx', tx);
  if (bookings.length === 0) return { amended: 0 };
  const changed = (await isDivided(tx))
    ? await amendOnShards(tx, bookings)
    : await tx<
        { id: string }[]
      >`${tx.unsafe(amendment)} from ${bookingRows(tx, bookings)} ${tx.unsafe(isAmended)}`;
  await recordPaymentEvents(tx, changed.map(({ id }) => id).sort(), 'UPDATED');
  return { amended: changed.length };
}

const amendment = `
    update payments p set amount_minor = b.amount_minor, currency = b.currency, result_code = b.result_code,
      requested_at = b.booked_at, referenced_payment_id = b.referenced`;

const isAmended = `
    where p.id = b.id collate "C" and p.payment_type = b.payment_type collate "C"
      and (p.amount_minor, p.currency, p.result_code, p.requested_at, p.referenced_payment_id) is distinct from
        (b.amount_minor, b.currency collate "C", b.result_code collate "C", b.booked_at, b.referenced collate "C")
    returning p.id`;

/** Each shard amends its own payments. Through the foreign tables, all payments would be fetched. */
async function amendOnShards(
  tx: Tx,
  bookings: readonly ChargebackBooking[],
): Promise<readonly { readonly id: string }[]> {
  await askShards(tx, {
    inputs: [
      {
        name: 'amended_bookings',
        columns: `id text, payment_type text, amount_minor bigint, currency text, result_code text,
          booked_at timestamptz, referenced text`,
        rows: tx`select b.* from ${bookingRows(tx, bookings)}`,
      },
    ],
    answer: `with amended as (${amendment} from amended_bookings b ${isAmended}) select id::text from amended`,
  });
  return tx<{ id: string }[]>`select answer as id from shard_answers`;
}
