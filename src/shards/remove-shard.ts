import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Tx } from '../db/client.js';
import { openMigrationSession } from '../db/connect.js';
import { toReconError } from '../db/database-errors.js';
import { awaitShards } from '../db/shards/enter-shards.js';
import { hasShards, isDivided } from '../db/shards/is-divided.js';
import { listShards } from '../db/shards/shard-state.js';
import { ReconError } from '../errors.js';
import { takeTurns } from './take-turns.js';
import { dropLedgerOfHome, serverOf } from './tables-of-home.js';

/** A shard that has no data yet. */
export interface RemoveShardRequest {
  /** The home database. */
  readonly home: string;
  readonly name: string;
  /** For the audit log. */
  readonly author: string;
}

/**
 * Takes back that a shard was noted, for example one with a wrong address. Its database is not asked, since it may not
 * exist, and stays as it is. The shards are numbered, and the data is divided by these numbers, so only the last one
 * can be removed.
 *
 * @returns the number of shards that are left
 * @throws ReconError SHARD_INVALID
 */
export async function removeShard({ home, name, author }: RemoveShardRequest): Promise<number> {
  const session = openMigrationSession(home);
  try {
    return await session.begin((tx) => removeFrom(tx, name, author));
  } catch (thrown) {
    throw toReconError(thrown) ?? thrown;
  } finally {
    await session.end({ timeout: 5 });
  }
}

async function removeFrom(tx: Tx, name: string, author: string): Promise<number> {
  const refused = (why: string) => new ReconError('SHARD_INVALID', `Shard ${name} was not removed: ${why}.`);
  await takeTurns(tx);
  if (!(await hasShards(tx))) throw refused('there are no shards');
  // A division in progress is awaited. Once data is divided, it stays so: a run that uses the shards is not awaited.
  if (!(await isDivided(tx))) await awaitShards(tx);
  const shards = await listShards(tx);
  const last = shards.at(-1);
  if (!shards.some((shard) => shard.name === name)) throw refused('there is no shard of this name');
  if (await isDivided(tx)) throw refused('data is stored on it, or will be');
  if (last?.name !== name)
    throw refused(`shard ${last?.name ?? ''} was added after it. Remove the last one first`);
  // With its foreign tables and its password.
  await tx.unsafe(`drop server ${serverOf({ name })} cascade`);
  await tx`delete from shards where name = ${name}`;
  if (shards.length === 1) for (const statement of dropLedgerOfHome) await tx.unsafe(statement);
  await appendAuditEvents(tx, author, [{ action: 'shard.removed', subject: name, details: {} }]);
  return shards.length - 1;
}
