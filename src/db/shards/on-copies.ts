import type { Fragment, Tx } from '../client.js';
import { isDivided } from './is-divided.js';
import { collectFromShards, type ShardInput } from './on-shards.js';

/** The rows of one divided table that some work reads. */
export interface Copy {
  readonly table: 'payments' | 'settlement_records' | 'record_matches';
  /** Executed by each shard on its own rows. */
  readonly rows: Fragment;
  /** The columns of its index. */
  readonly indexed: string;
}

/** What is copied, and what the shards need to know for it. */
export interface Copies {
  readonly inputs: readonly ShardInput[];
  /** In this order: from then on, the name of a table means its copy. */
  readonly copies: readonly Copy[];
}

/**
 * Does work that reads only these rows of the divided tables, and writes to none of them. With shards, temporary tables
 * with these rows take the place of the divided tables during the work: one look-up for each row would take a round
 * trip to each shard. Without shards, it only does the work.
 */
export async function onCopies<T>(tx: Tx, { inputs, copies }: Copies, work: () => Promise<T>): Promise<T> {
  if (!(await isDivided(tx))) return work();
  for (const { table, rows, indexed } of copies) {
    await collectFromShards(tx, table, rows, inputs);
    await tx`create index on ${tx(`pg_temp.${table}`)} (${tx.unsafe(indexed)})`;
  }
  return inPlaceOfDivided(
    tx,
    copies.map(({ table }) => table),
    work,
  );
}

/** Does work that reads temporary tables of these names, which were made before, and then drops them. */
export async function inPlaceOfDivided<T>(
  tx: Tx,
  copies: readonly Copy['table'][],
  work: () => Promise<T>,
): Promise<T> {
  for (const table of copies) await tx`analyze ${tx(`pg_temp.${table}`)}`;
  const done = await work();
  for (const table of copies) await tx`drop table ${tx(`pg_temp.${table}`)}`;
  return done;
}
