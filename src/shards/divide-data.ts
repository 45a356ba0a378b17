import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Sql, Tx } from '../db/client.js';
import { toReconError } from '../db/database-errors.js';
import { openDatabase, openMigrationSession, type DatabaseTarget } from '../db/connect.js';
import { awaitShards, enterShards } from '../db/shards/enter-shards.js';
import { hasShards, isDivided } from '../db/shards/is-divided.js';
import { listShards, readShardState, requireReady, type ShardPlace } from '../db/shards/shard-state.js';
import { moveFence } from '../db/fence.js';
import { inOwnTransaction } from '../db/transaction.js';
import { tryRunLock } from '../db/try-run-lock.js';
import { messageOf, ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { Logger } from '../logger.js';
import type { Progress } from '../progress.js';
import { compareRows, requireEmptyShards, type RowsOnShards } from './compare-rows.js';
import { urlOf } from './describe-shards.js';
import { shardedTables } from './ledger-of-shard.js';
import { moveRows } from './move-rows.js';
import { divisionRefused, refuseDivision, sessionName } from './refuse-division.js';
import { completeDivision, prepareDivision } from './tables-of-home.js';

/** The installation whose data is divided over its shards. */
export interface DivisionRequest {
  readonly home: DatabaseTarget;
  /** Who divides the data, for the audit log. */
  readonly author: string;
  readonly logger: Logger;
  readonly progress: Progress;
  /** Aborted when a person stops it: it then ends after the table that is being copied, and nothing is changed. */
  readonly signal: AbortSignal;
}

/** Where the data is after a division. */
export interface Division {
  readonly shards: readonly string[];
  /** Empty if the data was divided before. */
  readonly tables: readonly RowsOnShards[];
}

/**
 * Moves payments, records and results of a home database in use to the shards that were added (decision 16). The home
 * server copies and verifies them in one transaction, and drops its own tables in the same one: until it commits, they
 * have all data and can be read. What an interrupted division left on the shards is removed by the next one.
 *
 * @throws ReconError DIVISION_REFUSED, DIVISION_NOT_VERIFIED, RUN_ACTIVE, SHARD_INVALID, SHARD_UNREACHABLE; database
 * errors
 */
export async function divideData(request: DivisionRequest): Promise<Division> {
  const { logger } = request;
  const database = await openDatabase(request.home, { logger, applicationName: sessionName });
  const session = database.openSession(() => undefined);
  try {
    const { sql } = database;
    const places = (await hasShards(sql)) ? await listShards(sql) : [];
    if (places.length === 0)
      throw divisionRefused('There are no shards yet: `recon shards add` adds them, one after the other.');
    const shards = places.map(({ name }) => name);
    if (await isDivided(sql)) return { shards, tables: [] };
    const holder = await tryRunLock(session, 'shards divide');
    if (holder !== null) throw new ReconError('RUN_ACTIVE', `${holder}; nothing was moved.`);
    await refuseDivision(sql);
    // Undoes what an interrupted division left there, and commits that.
    await enterOnce(sql, places);
    const tables = await divide(sql, places, request);
    failPoint('divide.commit.after');
    await settle(sql, places, logger);
    return { shards, tables };
  } catch (thrown) {
    const known = toReconError(thrown);
    throw known === undefined ? thrown : database.explain(known);
  } finally {
    await database.close();
  }
}

/** Enters every shard after it was checked; each then knows which transactions the home server has committed. */
async function enterOnce(sql: Sql, shards: readonly ShardPlace[]): Promise<void> {
  await inOwnTransaction(sql, async (tx) => {
    await awaitShards(tx);
    for (const shard of shards) requireReady(await readShardState(tx, shard));
    await enterShards(tx);
  });
}

async function divide(
  sql: Sql,
  shards: readonly ShardPlace[],
  { author, progress, signal }: DivisionRequest,
): Promise<RowsOnShards[]> {
  let tables: RowsOnShards[] = [];
  try {
    await inOwnTransaction(sql, async (tx) => {
      await keepOthersOut(tx);
      await requireSameShards(tx, shards);
      await moveFence(tx);
      await enterShards(tx);
      for (const statement of prepareDivision(shards)) await tx.unsafe(statement);
      await requireEmptyShards(tx, shards);
      for (const table of shardedTables) {
        const task = progress.begin(`moving ${table.name}`, null, 'rows');
        task.advance(await moveRows(tx, table, shards));
        task.end();
        failPoint('divide.table');
        signal.throwIfAborted();
      }
      tables = await compareRows(tx, shards);
      signal.throwIfAborted();
      for (const statement of completeDivision()) await tx.unsafe(statement);
      const rows = Object.fromEntries(tables.map((each) => [each.table, each.rows]));
      const subject = shards.map(({ name }) => name).join(',');
      await appendAuditEvents(tx, author, [{ action: 'shards.divided', subject, details: rows }]);
      failPoint('divide.commit.before');
    });
  } catch (thrown) {
    // If the reply to the commit was lost, the tables show whether it happened.
    if (tables.length > 0 && (await isDivided(sql).catch(() => false))) return tables;
    throw thrown;
  }
  return tables;
}

/** From now on, no shard can be added or removed. */
async function requireSameShards(tx: Tx, shards: readonly ShardPlace[]): Promise<void> {
  const names = (places: readonly ShardPlace[]) => places.map(({ name }) => name).join(', ');
  const [now, before] = [names(await listShards(tx)), names(shards)];
  if (now === before) return;
  throw divisionRefused(
    `A shard was added or removed meanwhile: the shards were ${before}, and are ${now} now. Start the command again.`,
  );
}

/**
 * Waits until nobody writes payments, files, records or results, and lets nobody write until the end. They can be read
 * until they are replaced. Each statement sees what was committed before, so nothing of those that were awaited is
 * missing.
 */
async function keepOthersOut(tx: Tx): Promise<void> {
  // Otherwise a server that copies for hours does not notice that this program was killed. Not every system can do it.
  await tx
    .savepoint((inner) => inner`set local client_connection_check_interval to '10s'`)
    .catch(() => undefined);
  await awaitShards(tx);
  await tx`set local lock_timeout to '1h'`;
  await tx`lock table payments, settlement_files, settlement_records, record_matches in exclusive mode`;
}

/** What follows the commit. A failure does not undo the division, and the next run enters the shards in any case. */
async function settle(sql: Sql, shards: readonly ShardPlace[], logger: Logger): Promise<void> {
  try {
    await enterOnce(sql, shards);
    for (const shard of shards) {
      const session = openMigrationSession(await urlOf(sql, shard));
      try {
        for (const { onShard } of shardedTables) await session`vacuum (analyze) ${session(onShard)}`;
      } finally {
        await session.end({ timeout: 5 });
      }
    }
  } catch (thrown) {
    logger.warn({ reason: messageOf(thrown) }, 'The data is divided, but a shard could not be vacuumed.');
  }
}
