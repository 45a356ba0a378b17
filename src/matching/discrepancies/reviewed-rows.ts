import { isDivided } from '../../db/divided.js';
import { collectFromShards } from '../../db/on-shards.js';
import type { Tx } from '../fragment.js';

const copies = ['settlement_records', 'record_matches', 'payments'];

/**
 * Does work that reads payments, results and records only for the payments in `review_payments`. With shards, each shard
 * joins its results with its records, and temporary tables with these rows stand for the divided tables meanwhile.
 */
export async function onReviewedRows(tx: Tx, work: () => Promise<void>): Promise<void> {
  if (!(await isDivided(tx))) return work();
  const inputs = [
    {
      name: 'review_payments',
      columns: 'payment_key bigint',
      rows: tx`select payment_key from review_payments`,
    },
  ];
  const results = tx`review_payments s join record_matches m on m.payment_key = s.payment_key`;
  // In this order: from then on, the name of a table means its copy.
  await collectFromShards(
    tx,
    'settlement_records',
    tx`select r.* from ${results} join settlement_records r on r.file_id = m.file_id and r.line = m.line`,
    inputs,
  );
  await tx`create index on pg_temp.settlement_records (file_id, line)`;
  await collectFromShards(tx, 'record_matches', tx`select m.* from ${results}`, inputs);
  await tx`create index on pg_temp.record_matches (payment_key)`;
  await collectFromShards(
    tx,
    'payments',
    tx`select p.* from review_payments s join payments p on p.key = s.payment_key`,
    inputs,
  );
  await tx`create index on pg_temp.payments (key)`;
  for (const table of copies) await tx`analyze ${tx(`pg_temp.${table}`)}`;
  await work();
  for (const table of copies) await tx`drop table ${tx(`pg_temp.${table}`)}`;
}
