import { ReconError } from '../../errors.js';
import type { Sql, Tx } from '../client.js';
import { sqlStateOf } from '../database-errors.js';

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
export const shardLayout = 3;

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

/**
 * Asks one shard.
 *
 * @throws ReconError SHARD_UNREACHABLE, SHARD_INVALID
 */
export async function readShardState(tx: Tx, shard: ShardPlace): Promise<ShardState> {
  const { name, position } = shard;
  const [state] = await answeredInTime(
    tx,
    shard,
    () => tx<ShardState[]>`
      select ${name} as name, s.version, s.name as "ownName", s.layout, s.token, s.unconfirmed,
        s.installation = (select installation from shard_installation) as "isOurs",
        s.migrations = (select md5(string_agg(hash, ',' order by created_at)) from drizzle.__drizzle_migrations) as "isCurrent"
      from ${tx(`shard_state_${position}`)} s`,
  );
  if (state === undefined) throw noShard(name);
  return state;
}

/**
 * Lets the home server connect to every shard.
 *
 * @throws ReconError SHARD_UNREACHABLE, SHARD_INVALID
 */
export async function reachShards(tx: Tx): Promise<void> {
  for (const shard of await listShards(tx))
    await answeredInTime(tx, shard, () => tx`select from ${tx(`shard_fence_${shard.position}`)}`);
}

/** How long a shard may take for its first answer. */
const answerTimeout = '20s';

/**
 * The first question of a session to a shard. The home server (18.4) ignores `connect_timeout`: it waits without end
 * for a server that accepts its connection and then does not answer, as a suspended one.
 */
export async function answeredInTime<T>(tx: Tx, { name }: ShardPlace, ask: () => PromiseLike<T>): Promise<T> {
  await tx`set local statement_timeout to ${tx.unsafe(`'${answerTimeout}'`)}`;
  const answer = await Promise.resolve(ask()).catch((thrown: unknown) => {
    switch (sqlStateOf(thrown)) {
      case '57014':
        throw new ReconError(
          'SHARD_UNREACHABLE',
          `Shard ${name} does not answer the home server within ${answerTimeout}; nothing of this step was stored.`,
          { cause: thrown },
        );
      case '42P01':
        throw noShard(name);
      default:
        throw thrown;
    }
  });
  await tx`set local statement_timeout to default`;
  return answer;
}

const noShard = (name: string) => invalid(name, 'its database is not a shard');

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
 * @returns their states
 * @throws ReconError SHARD_INVALID
 */
export async function requireReadyShards(
  tx: Tx,
  token: bigint,
): Promise<readonly (readonly [ShardPlace, ShardState])[]> {
  const ready: (readonly [ShardPlace, ShardState])[] = [];
  for (const shard of await listShards(tx)) {
    const state = await readShardState(tx, shard);
    requireReady(state);
    requireKnownRun(state, token);
    ready.push([shard, state]);
  }
  return ready;
}

/**
 * Compares the last run that a shard knows with that of the home database.
 *
 * @param token of the run that begins, or would be the next
 * @throws ReconError SHARD_INVALID
 */
export function requireKnownRun(state: ShardState, token: bigint): void {
  if (state.token > token) throw invalid(state.name, laterThanHome);
  // Every run enters every shard when it begins, so a shard that missed one has lost it.
  if (state.token < token - 1n)
    throw invalid(
      state.name,
      'it does not know the last run, as after a restore of the shard alone. Restore all of them to the same moment',
    );
}

const laterThanHome =
  'it has seen a later run than the home database knows, as after a restore of the home database alone. Restore all of them to the same moment';

/**
 * Refuses a shard with rows of payments, files or results that the home database does not know. A home database that
 * was restored to the moment before the last run or import gives the next one the same numbers again.
 *
 * @param token of the run that begins, or would be the next
 * @throws ReconError SHARD_INVALID
 */
export async function requireKnownRows(
  sql: Sql | Tx,
  state: ShardState,
  token: bigint,
  { position }: ShardPlace,
): Promise<void> {
  const on = (table: string) => sql(`${table}_on_${position}`);
  const [payments, records, results] = [on('payments'), on('settlement_records'), on('record_matches')];
  const [newest] = await sql<{ unknown: boolean }[]>`
    select coalesce((select max(key) from ${payments}), 0) > (select last_value from payments_key_seq)
      or greatest((select max(file_id) from ${records}), (select max(file_id) from ${results}), 0)
        > (select coalesce(max(id), 0) from settlement_files) as unknown`;
  if (newest?.unknown === true) throw invalid(state.name, laterThanHome);
  // Only if the shard has begun a run that the home database does not know, because this reads all results. Those of
  // an unconfirmed transaction may be undone by the next run.
  if (state.token < token || state.unconfirmed > 0) return;
  const [result] = await sql`
    select from ${results} where run_id > (select coalesce(max(id), 0) from runs) limit 1`;
  if (result !== undefined) throw invalid(state.name, laterThanHome);
}

function invalid(name: string, why: string): ReconError {
  return new ReconError('SHARD_INVALID', `Shard ${name} cannot be used: ${why}. Nothing was started.`);
}
