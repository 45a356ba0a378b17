import { isDivided } from '../db/shards/is-divided.js';
import { onCopies, type Copy } from '../db/shards/on-copies.js';
import { collectFromShards, type ShardInput } from '../db/shards/on-shards.js';
import type { Fragment, Tx } from './fragment.js';
import { hasRemovedRecords } from './removed-records.js';

/** Gives the shards the keys of payments in a work table. */
export function paymentKeys(tx: Tx, table: string): ShardInput {
  return { name: table, columns: 'payment_key bigint', rows: tx`select payment_key from ${tx(table)}` };
}

/**
 * The results of the payments in a work table, and the records of these results and of the payments' chargebacks, as
 * each shard selects its own.
 */
export function rowsOfPayments(
  tx: Tx,
  table: string,
): { readonly inputs: readonly ShardInput[]; readonly results: Fragment; readonly records: Fragment } {
  const results = tx`${tx(table)} s join record_matches m on m.payment_key = s.payment_key`;
  return {
    inputs: [
      paymentKeys(tx, table),
      {
        name: 'chargeback_links',
        columns: 'file_id integer, line integer',
        rows: tx`select l.file_id, l.line from chargeback_links l
          join ${tx(table)} s on s.payment_key = l.payment_key`,
      },
    ],
    results,
    records: tx`select r.* from (
        select m.file_id, m.line from ${results} union select l.file_id, l.line from chargeback_links l) k
      join settlement_records r on r.file_id = k.file_id and r.line = k.line`,
  };
}

/** Of these results, what finds a record by its payment. */
export const copyOfResults = (tx: Tx, results: Fragment): Copy => ({
  table: 'record_matches',
  rows: tx`select m.file_id, m.line, m.payment_key from ${results}`,
  indexed: 'payment_key',
});

/**
 * Does work that reads payments, results and records only for the payments in `review_payments`, and the records of
 * their chargebacks; of those that were removed, the bookings. With shards, each shard joins its results with its
 * records, and the work is done on copies.
 */
export async function onReviewedRows(tx: Tx, work: () => Promise<void>): Promise<void> {
  if (!(await isDivided(tx))) return work();
  const { inputs, results, records } = rowsOfPayments(tx, 'review_payments');
  const hasRemoved = await hasRemovedRecords(tx);
  if (hasRemoved) await listRemovedBookings(tx);
  const removed = {
    name: 'removed_bookings',
    columns: 'id text collate "C"',
    rows: tx`select id from removed_bookings`,
  };
  const bookings = tx`union all
            select p.* from removed_bookings x join payments p on p.id = x.id
            where p.key not in (select payment_key from review_payments)`;
  await onCopies(
    tx,
    {
      inputs: hasRemoved ? [...inputs, removed] : inputs,
      copies: [
        { table: 'settlement_records', rows: records, indexed: 'file_id, line' },
        { table: 'record_matches', rows: tx`select m.* from ${results}`, indexed: 'payment_key' },
        {
          table: 'payments',
          rows: tx`select p.* from review_payments s join payments p on p.key = s.payment_key
            ${hasRemoved ? bookings : tx``}`,
          indexed: 'key',
        },
      ],
    },
    work,
  );
}

/**
 * Makes `removed_bookings`: those of removed chargebacks and reversals, which may be on another shard than their
 * payment.
 */
async function listRemovedBookings(tx: Tx): Promise<void> {
  await tx`create temp table removed_bookings on commit drop as
    select l.booking_id as id from chargeback_links l
    join review_payments s on s.payment_key = l.payment_key
    join settlement_files f on f.id = l.file_id and f.status = 'retired'
    where l.active`;
}

/** Does work that reads only the payments of the given keys (a select of `payment_key`), in the same way. */
export async function onCopiedPayments(tx: Tx, keys: Fragment, work: () => Promise<void>): Promise<void> {
  if (!(await isDivided(tx))) return work();
  await tx`create temp table copied_keys on commit drop as select distinct payment_key from (${keys}) k`;
  await onCopies(
    tx,
    {
      inputs: [paymentKeys(tx, 'copied_keys')],
      copies: [
        {
          table: 'payments',
          rows: tx`select p.* from copied_keys s join payments p on p.key = s.payment_key`,
          indexed: 'key',
        },
      ],
    },
    work,
  );
  await tx`drop table pg_temp.copied_keys`;
}

/**
 * Does work that adds up the reversals of the given payments (a select of `payment_key`), and reads nothing else of
 * payments. A reversal may be on a different shard from its payment: with shards, the copies are the payments that have
 * one, and their reversals.
 *
 * Reads `partly_reversed`.
 */
export async function onCopiedReversals(tx: Tx, keys: Fragment, work: () => Promise<void>): Promise<void> {
  if (!(await isDivided(tx))) return work();
  await tx`create temp table copied_keys on commit drop as select distinct payment_key from (${keys}) k`;
  await collectFromShards(
    tx,
    'reversed_ids',
    tx`select p.id from copied_keys s join payments p on p.key = s.payment_key
      where p.id in (select id from partly_reversed)`,
    [
      paymentKeys(tx, 'copied_keys'),
      { name: 'partly_reversed', columns: 'id text collate "C"', rows: tx`select id from partly_reversed` },
    ],
  );
  await onCopies(
    tx,
    {
      inputs: [
        { name: 'reversed_ids', columns: 'id text collate "C"', rows: tx`select id from reversed_ids` },
      ],
      copies: [
        {
          table: 'payments',
          rows: tx`select p.* from reversed_ids x join payments p on p.id = x.id
            union all
            select rv.* from reversed_ids x join payments rv on rv.referenced_payment_id = x.id
            where rv.payment_type = 'RV' and rv.outcome = 'SUCCESS'`,
          indexed: 'id',
        },
      ],
    },
    work,
  );
  await tx`drop table pg_temp.copied_keys`;
  await tx`drop table pg_temp.reversed_ids`;
}

/** The payments of the records that need a review, as far as they are known: a select of `payment_key`. */
export function paymentsUnderReview(tx: Tx): Fragment {
  return tx`select payment_key from new_matches where needs_review and payment_key is not null`;
}
