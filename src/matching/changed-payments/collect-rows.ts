import { collectFromShards, type ShardInput } from '../../db/shards/on-shards.js';
import type { Fragment, Tx } from '../fragment.js';

/**
 * Makes a temporary table of what a query over payments or results selects. With shards, each selects from its own
 * rows, and gets those of the inputs.
 */
export async function collectRows(
  tx: Tx,
  table: string,
  query: Fragment,
  { isOnShards, inputs }: { readonly isOnShards: boolean; readonly inputs: readonly ShardInput[] },
): Promise<void> {
  await tx`drop table if exists ${tx(`pg_temp.${table}`)}`;
  if (isOnShards) await collectFromShards(tx, table, query, inputs);
  else await tx`create temp table ${tx(table)} on commit drop as ${query}`;
  await tx`analyze ${tx(`pg_temp.${table}`)}`;
}
