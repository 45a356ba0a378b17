import { isDivided } from '../db/divided.js';
import { collectFromShards } from '../db/on-shards.js';
import type { Fragment, Tx } from './fragment.js';

/**
 * Does work that reads payments, results and records only for the payments in `review_payments`. With shards, each shard
 * joins its results with its records, and temporary tables with these rows stand for the divided tables meanwhile.
 */
export async function onReviewedRows(tx: Tx, work: () => Promise<void>): Promise<void> {
  if (!(await isDivided(tx))) return work();
  const keys = tx`select payment_key from review_payments`;
  const results = tx`review_payments s join record_matches m on m.payment_key = s.payment_key`;
  // In this order: from then on, the name of a table means its copy.
  const copies: Copies = [
    [
      'settlement_records',
      tx`select r.* from ${results} join settlement_records r on r.file_id = m.file_id and r.line = m.line`,
      'file_id, line',
    ],
    ['record_matches', tx`select m.* from ${results}`, 'payment_key'],
    ['payments', tx`select p.* from review_payments s join payments p on p.key = s.payment_key`, 'key'],
  ];
  await onCopies(tx, { keysName: 'review_payments', keys, copies }, work);
}

/**
 * Does work that reads only the payments of the given keys (a select of `payment_key`), in the same way: one look-up for
 * each would take a round trip to each shard.
 */
export async function onCopiedPayments(tx: Tx, keys: Fragment, work: () => Promise<void>): Promise<void> {
  if (!(await isDivided(tx))) return work();
  await tx`create temp table copied_keys on commit drop as select distinct payment_key from (${keys}) k`;
  const copies: Copies = [
    ['payments', tx`select p.* from copied_keys s join payments p on p.key = s.payment_key`, 'key'],
  ];
  await onCopies(
    tx,
    { keysName: 'copied_keys', keys: tx`select payment_key from copied_keys`, copies },
    work,
  );
  await tx`drop table pg_temp.copied_keys`;
}

/** The payments of the records that need a review, as far as they are known: a select of `payment_key`. */
export function paymentsUnderReview(tx: Tx): Fragment {
  return tx`select payment_key from new_matches where needs_review and payment_key is not null`;
}

type Copies = readonly (readonly [table: string, rows: Fragment, indexed: string])[];

async function onCopies(
  tx: Tx,
  { keysName, keys, copies }: { readonly keysName: string; readonly keys: Fragment; readonly copies: Copies },
  work: () => Promise<void>,
): Promise<void> {
  for (const [table, rows, indexed] of copies) {
    await collectFromShards(tx, table, rows, [{ name: keysName, columns: 'payment_key bigint', rows: keys }]);
    await tx`create index on ${tx(`pg_temp.${table}`)} (${tx.unsafe(indexed)})`;
  }
  for (const [table] of copies) await tx`analyze ${tx(`pg_temp.${table}`)}`;
  await work();
  for (const [table] of copies) await tx`drop table ${tx(`pg_temp.${table}`)}`;
}
