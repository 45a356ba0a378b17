import { ReconError } from '../../errors.js';
import type { Sql, Tx } from '../client.js';

/** What a shard says about itself. */
export interface ShardState {
  readonly name: string;
  readonly version: string;
  readonly isOurs: boolean;
  /** The name under which it was added. */
  readonly ownName: string;
  readonly layout: number;
  /** Whether it has the migrations of the home database. */
  readonly isCurrent: boolean;
  readonly token: bigint;
  /** How many transactions it has committed without knowing yet whether the home server has committed them too. */
  readonly unconfirmed: number;
}

/** Raised when what a shard keeps in its database changes: a program that does not know it refuses the shard. */
export const shardLayout = 2;

/** A shard among those of a home database. */
export interface ShardPlace {
  readonly name: string;
  /** From 1 on, in the order in which the shards were added. */
  readonly position: number;
}

/** The shards of a home database that has some, in the order in which they were added. */
export function listShards(sql: Sql | Tx): Promise<ShardPlace[]> {
  return sql<ShardPlace[]>`select name, position from shards order by position`;
}

/** Asks one shard. */
export async function readShardState(sql: Sql | Tx, { name, position }: ShardPlace): Promise<ShardState> {
  const [state] = await sql<ShardState[]>`
    select ${name} as name, s.version, s.name as "ownName", s.layout, s.token, s.unconfirmed,
      s.installation = (select installation from shard_installation) as "isOurs",
      s.migrations = (select md5(string_agg(hash, ',' order by created_at)) from drizzle.__drizzle_migrations) as "isCurrent"
    from ${sql(`shard_state_${position}`)} s`;
  if (state === undefined) throw invalid(name, 'its database is not a shard');
  return state;
}

/** @throws ReconError SHARD_INVALID */
export function requireReady(state: ShardState): void {
  if (!state.isOurs) throw invalid(state.name, 'its database belongs to another installation');
  if (state.ownName !== state.name)
    throw invalid(state.name, `its database was added under the name ${state.ownName}`);
  if (state.layout !== shardLayout)
    throw invalid(state.name, 'it was made by another version of recon, which divides data differently');
  if (!state.isCurrent)
    throw invalid(state.name, 'its schema is not the one of the home database; run `recon migrate`');
}

/**
 * Asks each shard whether a run with this token can use it.
 *
 * @throws ReconError SHARD_INVALID
 */
export async function requireReadyShards(tx: Tx, token: bigint): Promise<void> {
  for (const shard of await listShards(tx)) {
    const state = await readShardState(tx, shard);
    requireReady(state);
    if (state.token > token)
      throw invalid(
        state.name,
        'it has seen a later run than the home database knows, as after a restore of the home database alone. Restore all of them to the same moment',
      );
    // Every run enters every shard when it begins, so a shard that missed one has lost it.
    if (state.token < token - 1n)
      throw invalid(
        state.name,
        'it does not know the last run, as after a restore of the shard alone. Restore all of them to the same moment',
      );
  }
}

function invalid(name: string, why: string): ReconError {
  return new ReconError('SHARD_INVALID', `Shard ${name} cannot be used: ${why}. Nothing was started.`);
}
