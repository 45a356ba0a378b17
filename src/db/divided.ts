import type { ISql } from 'postgres';
import { ReconError } from '../errors.js';
import type { Sql, Tx } from './client.js';
import { toReconError } from './database-errors.js';

/** Whether payments, records and results of this database lie on shards (decision 14). */
export async function isDivided(sql: ISql<{ bigint: bigint }>): Promise<boolean> {
  const [row] = await sql<{ divided: boolean }[]>`
    select relkind = 'p' as divided from pg_class where oid = to_regclass('public.payments')`;
  return row?.divided === true;
}

/**
 * Whether shards were added, even if no data lies on them yet: that of an installation in use is moved by a division.
 */
export async function hasShards(sql: Sql | Tx): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select to_regclass('public.shards') is not null as found`;
  return row?.found === true;
}

/** How long a transaction waits for the one that is writing on the shards: an import, or a step of a run. */
const turnTimeout = '1h';

/**
 * Waits until no other transaction writes on the shards. The first statement of a transaction, so that the home server
 * takes its snapshot afterwards: it then contains what the other one has committed, on the shards and on the home
 * server.
 */
export async function awaitShards(tx: Tx, access: 'write' | 'read' = 'write'): Promise<void> {
  await tx`set local lock_timeout to ${tx.unsafe(`'${turnTimeout}'`)}`;
  await tx`lock table shard_turn in ${tx.unsafe(access === 'write' ? 'access exclusive' : 'access share')} mode`;
  await tx`set local lock_timeout to default`;
}

/**
 * Begins the part of a transaction that lies on the shards; to be called before it reads or writes there. Each shard
 * compares the token of the transaction with its own, and keeps what the transaction changes until it is confirmed.
 * What a transaction left that the home server did not commit is undone first.
 *
 * @throws RF001 when a newer run has entered a shard; RF003 for a wrong shard; the errors of a shard that is down
 */
export async function enterShards(tx: Tx): Promise<void> {
  await tx`select enter_shards()`;
}

/** Enters the shards with the token of a run that begins, if there are any and each can be used. */
export async function enterShardsForRun(tx: Tx, token: bigint): Promise<void> {
  if (!(await isDivided(tx))) return;
  await awaitShards(tx);
  await tx`select set_config('recon.fence', ${token.toString()}, true)`;
  await requireReadyShards(tx, token);
  await enterShards(tx);
}

/** Enters the shards if data lies on them. A division in progress is awaited: afterwards, it does. */
export async function enterShardsIfAny(tx: Tx): Promise<void> {
  if (!(await hasShards(tx))) return;
  await awaitShards(tx);
  if (await isDivided(tx)) await enterShards(tx);
}

/**
 * For a transaction that only reads, after `awaitShards`: refuses rows that the home server never stored. A run undoes
 * them.
 *
 * @throws ReconError SHARD_INVALID
 */
export async function requireConfirmedShards(tx: Tx): Promise<void> {
  const [row] = await tx<{ names: string[] }[]>`select unconfirmed_shards() as names`;
  const names = row?.names ?? [];
  if (names.length === 0) return;
  throw new ReconError(
    'SHARD_INVALID',
    `A transaction was interrupted on ${names.length === 1 ? 'shard' : 'shards'} ${names.join(', ')}; the next run undoes it. Until then nothing is reported: start \`recon run\`.`,
  );
}

/**
 * The error of a transaction whose home server lost its connection to a shard. In the middle of a statement, the server
 * does not say which one it was, so each is asked again; one that answers again by then is not named.
 *
 * @param sql a connection to the home server, outside the transaction
 */
export async function namingShard(sql: Sql, thrown: unknown): Promise<unknown> {
  const known = toReconError(thrown);
  if (known?.code !== 'SHARD_UNREACHABLE' || namesShard.test(known.message)) return thrown;
  const lost: string[] = [];
  for (const { name, position } of await listShards(sql)) {
    try {
      await sql`select from ${sql(`shard_fence_${position}`)}`;
    } catch {
      lost.push(name);
    }
  }
  const which =
    lost.length === 0
      ? 'The connection to a shard was lost; all shards answer again.'
      : `The connection to ${lost.length === 1 ? 'shard' : 'shards'} ${lost.join(', ')} was lost.`;
  return new ReconError('SHARD_UNREACHABLE', `${which} Nothing of this step was stored.`, {
    cause: known.cause,
  });
}

const namesShard = /^Shard \w/;

/** @throws ReconError SHARDS_UNSUPPORTED when data of the database lies on shards */
export async function refuseShards(sql: Sql | Tx, what: string): Promise<void> {
  if (await isDivided(sql)) throw unsupported(what);
}

/** @throws ReconError SHARDS_UNSUPPORTED when shards were added, even if no data lies on them yet */
export async function refuseNotedShards(sql: Sql | Tx, what: string): Promise<void> {
  if (await hasShards(sql)) throw unsupported(what);
}

const unsupported = (what: string) =>
  new ReconError(
    'SHARDS_UNSUPPORTED',
    `${what} does not work with a database that has shards; nothing was started.`,
  );

/** @throws ReconError SHARD_INVALID when the database is itself a shard */
export async function requireNoShard(sql: Sql): Promise<void> {
  const [row] = await sql<{ shard: boolean }[]>`
    select to_regclass('public.shard_membership') is not null as shard`;
  if (row?.shard !== true) return;
  throw new ReconError(
    'SHARD_INVALID',
    'This database is a shard: only its home database may be used with recon, so nothing was started.',
  );
}

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

export interface ShardPlace {
  readonly name: string;
  /** From 1 on, in the order in which the shards were added. */
  readonly position: number;
}

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

async function requireReadyShards(tx: Tx, token: bigint): Promise<void> {
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
