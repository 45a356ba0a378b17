import { messageOf, ReconError } from '../../errors.js';
import type { Sql, Tx } from '../client.js';
import { onAShard, shardThatRefused, sqlStateOf, toReconError } from '../database-errors.js';
import { hasShards, isDivided } from './is-divided.js';
import {
  answeredInTime,
  listShards,
  reachShards,
  requireKnownRows,
  requireReadyShards,
} from './shard-state.js';

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
 * Begins the part of a transaction that is on the shards; to be called before it reads or writes there. Each shard
 * compares the token of the transaction with its own, and keeps what the transaction changes until it is confirmed.
 * What a transaction left that the home server did not commit is undone first.
 *
 * @throws RF001 when a newer run has entered a shard; RF003 for a wrong shard; the errors of a shard that is down
 */
export async function enterShards(tx: Tx): Promise<void> {
  await namingHome(tx`select enter_shards()`);
}

/** Why a shard refuses a home server: a part of what the shard says, and what a person reads. */
const refusals: readonly (readonly [RegExp, string])[] = [
  [
    /another installation/,
    'it was added to another one. A home server has another identity after pg_upgrade, and after its dump was restored on another server',
  ],
  [
    /has undone/,
    'the shard has undone the last transaction that this home database has: an earlier state of the home database was in use meanwhile. Restore all of them to the same moment',
  ],
];

/**
 * The result of a statement that enters shards.
 *
 * @throws ReconError SHARD_INVALID if a shard does not belong to this home server, or to this state of its database
 */
export async function namingHome<T>(entering: PromiseLike<T>): Promise<T> {
  try {
    return await entering;
  } catch (thrown) {
    const refusal = refusals.find(
      ([reason]) => sqlStateOf(thrown) === 'RF003' && reason.test(messageOf(thrown)),
    );
    if (refusal === undefined) throw thrown;
    const message = `A shard refuses this home server, because ${refusal[1]}. Nothing was stored.`;
    throw new ReconError('SHARD_INVALID', message, { cause: thrown });
  }
}

/** Enters the shards with the token of a run that begins, if there are any and each can be used. */
export async function enterShardsForRun(tx: Tx, token: bigint): Promise<void> {
  if (!(await isDivided(tx))) return;
  await awaitShards(tx);
  await tx`select set_config('recon.fence', ${token.toString()}, true)`;
  const ready = await requireReadyShards(tx, token);
  await enterShards(tx);
  // Entering has confirmed or undone every transaction.
  for (const [shard, state] of ready) await requireKnownRows(tx, { ...state, unconfirmed: 0 }, token, shard);
}

/** Enters the shards if data is stored on them. A division in progress is awaited: afterwards, it is. */
export async function enterShardsIfAny(tx: Tx): Promise<void> {
  if (!(await hasShards(tx))) return;
  await awaitShards(tx);
  if (!(await isDivided(tx))) return;
  await reachShards(tx);
  await enterShards(tx);
}

/**
 * Begins a transaction that only reads on the shards: waits until no other writes there, and refuses rows that the home
 * server never stored, which the next run undoes.
 *
 * @throws ReconError SHARD_INVALID
 */
export async function readShards(tx: Tx): Promise<void> {
  await awaitShards(tx, 'read');
  await reachShards(tx);
  await requireConfirmedShards(tx);
}

async function requireConfirmedShards(tx: Tx): Promise<void> {
  const [row] = await tx<{ names: string[] }[]>`select unconfirmed_shards() as names`;
  const names = row?.names ?? [];
  if (names.length === 0) return;
  throw new ReconError(
    'SHARD_INVALID',
    `A transaction was interrupted on ${names.length === 1 ? 'shard' : 'shards'} ${names.join(', ')}; the next run undoes it. Until then nothing is reported: start \`recon run\`.`,
  );
}

/**
 * The error of a transaction that failed on a shard, with the name of the shard if it can be found out.
 *
 * @param sql a connection to the home server, outside the transaction
 */
export async function namingShard(sql: Sql, thrown: unknown): Promise<unknown> {
  const known = toReconError(thrown);
  if (known === undefined) return thrown;
  const position = shardThatRefused(thrown);
  if (position !== undefined) {
    const name = (await listShards(sql)).find((shard) => shard.position === position)?.name;
    const message = known.message.replace(onAShard, `On shard ${name ?? position}`);
    return new ReconError(known.code, message, { cause: known.cause });
  }
  const isLoss = known.code === 'SHARD_UNREACHABLE' && !namesShard.test(known.message);
  return isLoss ? lossOfShard(sql, known) : thrown;
}

/**
 * In the middle of a statement, the home server does not say which shard it lost, so each is asked again; one that
 * answers again by then is not named.
 */
async function lossOfShard(sql: Sql, known: ReconError): Promise<ReconError> {
  const lost: string[] = [];
  for (const shard of await listShards(sql)) {
    try {
      await sql.begin((tx) =>
        answeredInTime(tx, shard, () => tx`select from ${tx(`shard_fence_${shard.position}`)}`),
      );
    } catch {
      lost.push(shard.name);
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
