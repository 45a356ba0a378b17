import { isDivided } from '../db/shards/is-divided.js';
import { collectFromShards, type ShardInput } from '../db/shards/on-shards.js';
import type { Fragment, Tx } from './fragment.js';

/**
 * Makes a temporary table of what a query over payments, records or results selects. With shards, each selects from its
 * own rows, and gets those of the inputs.
 */
export async function collectRows(
  tx: Tx,
  table: string,
  query: Fragment,
  inputs: readonly ShardInput[],
): Promise<void> {
  if (await isDivided(tx)) await collectFromShards(tx, table, query, inputs);
  else await tx`create temp table ${tx(table)} on commit drop as ${query}`;
}

/** The same for a table that may exist already, and analysed. */
export async function collectRowsAgain(
  tx: Tx,
  table: string,
  query: Fragment,
  inputs: readonly ShardInput[],
): Promise<void> {
  await tx`drop table if exists ${tx(`pg_temp.${table}`)}`;
  await collectRows(tx, table, query, inputs);
  await tx`analyze ${tx(`pg_temp.${table}`)}`;
}
