import { backOfficeConnector } from '../../findings/back-office-connector.js';
import { paymentKeys } from '../copies-from-shards.js';
import type { Fragment, Tx } from '../fragment.js';
import { collectRowsAgain } from '../collect-rows.js';

/**
 * Lists the chargebacks and reversals that are booked on payments, because the back office may have booked some of them
 * by hand (design 4.5). Does nothing while the core has processed no payment, as where only files are reconciled.
 *
 * Makes `core_chargebacks`, with the chargebacks (CB) of these payments, and `core_reversals`, with the reversals (CR)
 * of these.
 *
 * @param keys a select of `payment_key` from tables that shards do not divide
 * @returns whether the tables were made
 */
export async function listHandBookings(tx: Tx, keys: Fragment): Promise<boolean> {
  const [any] = await tx`select from payment_details limit 1`;
  if (any === undefined) return false;
  await tx`create temp table booked_payments on commit drop as select distinct payment_key from (${keys}) k`;
  await tx`analyze booked_payments`;
  await collectRowsAgain(
    tx,
    'ids_of_booked',
    tx`select b.payment_key, p.id from booked_payments b
      cross join lateral (select p.id from payments p where p.key = b.payment_key offset 0) p`,
    [paymentKeys(tx, 'booked_payments')],
  );
  await tx`drop table pg_temp.booked_payments`;
  await collectBookings(tx, 'core_chargebacks', { ofType: 'CB', on: 'ids_of_booked' });
  await collectBookings(tx, 'core_reversals', { ofType: 'CR', on: 'core_chargebacks' });
  await tx`create index on pg_temp.core_reversals (booked_on)`;
  return true;
}

/** Whether the back office made booking `b` (core_chargebacks or core_reversals), and not the reconciliation. */
export function isByHand(tx: Tx): Fragment {
  return tx`exists (select from payment_details d
    where d.payment_key = b.key and d.connector = ${backOfficeConnector})`;
}

/** A booking may be on another shard than its payment, so each step finds those that refer to the ids of the last. */
async function collectBookings(
  tx: Tx,
  table: 'core_chargebacks' | 'core_reversals',
  { ofType, on }: { readonly ofType: 'CB' | 'CR'; readonly on: 'ids_of_booked' | 'core_chargebacks' },
): Promise<void> {
  await collectRowsAgain(
    tx,
    table,
    tx`select o.payment_key, o.id as booked_on, b.key, b.id, b.amount_minor, b.currency, b.requested_at
      from ${tx(on)} o
      cross join lateral (select b.* from payments b
        where b.referenced_payment_id = o.id and b.payment_type = ${ofType} offset 0) b`,
    [
      {
        name: on,
        columns: 'payment_key bigint, id text collate "C"',
        rows: tx`select payment_key, id from ${tx(on)}`,
      },
    ],
  );
}
