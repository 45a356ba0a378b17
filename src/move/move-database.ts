import { appendAuditEvents } from '../db/audit-log/append-audit-events.js';
import type { Sql, Tx } from '../db/client.js';
import { openAndMigrate, openDatabase, type Database, type DatabaseTarget } from '../db/connect.js';
import { describeAddress, readDatabaseUrl } from '../db/connection/connection-address.js';
import { copyRecordParts } from '../db/parts/copy-record-parts.js';
import { toReconError } from '../db/database-errors.js';
import { refuseNotedShards } from '../db/shards/is-divided.js';
import { incompleteCopy, readMoveMark } from '../db/connection/move-mark.js';
import { tryRunLock } from '../db/try-run-lock.js';
import { messageOf, ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { Logger } from '../logger.js';
import type { Progress } from '../progress.js';
import { copySequences, copyTables, type MovedRows } from './copy-tables.js';
import { failedSide, inDatabase } from './failed-side.js';
import { acceptWrites, refuseWrites } from './refuse-outdated-writes.js';
import { tablesThatRefer, tablesToMove, type MovedTable } from './table-facts.js';

/** A move of all data to another database, which is empty. */
export interface MoveRequest {
  readonly from: DatabaseTarget;
  readonly to: DatabaseTarget;
  /** Who moves it, for the audit log. */
  readonly author: string;
  readonly clock: () => number;
  readonly logger: Logger;
  readonly progress: Progress;
  /** Ends the move, which the same call continues. */
  readonly signal: AbortSignal;
}

/**
 * Copies a database into another one, table by table, each in one transaction, and verifies every table by its rows.
 * Then the old one is marked as moved, and commands refuse it; nothing else in it is changed. An interrupted move is
 * continued by the same call: tables that are already the same are not copied again.
 *
 * @returns no tables if an earlier call completed the move
 * @throws ReconError MOVE_REFUSED, RUN_ACTIVE, MOVE_NOT_VERIFIED; database errors
 */
export async function moveDatabase(request: MoveRequest): Promise<MovedRows[]> {
  const options = { logger: request.logger, closeOn: request.signal };
  await openAndMigrate(request.to, options);
  const source = await openDatabase(request.from, { ...options, moved: true });
  try {
    await refuseNotedShards(source.sql, 'recon move');
    const target = await openDatabase(request.to, { ...options, moved: true });
    try {
      return await withRunLocks(source, target, () => moveInto(source, target, request));
    } catch (thrown) {
      throw named(thrown, request);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** A failure of one of the two databases, with its name: both have the same tables. */
function named(thrown: unknown, { from, to }: MoveRequest): unknown {
  const known = toReconError(thrown);
  const side = failedSide(thrown);
  if (known === undefined || thrown instanceof ReconError || side === 'either') return known ?? thrown;
  const where = `This happened in the ${side} database, ${nameOf(side === 'old' ? from : to)}.`;
  return new ReconError(known.code, `${known.message} ${where}`, { cause: known.cause });
}

/** Holds the run lock of both, so that no run begins meanwhile. The same database twice is noticed here too. */
async function withRunLocks<T>(source: Database, target: Database, work: () => Promise<T>): Promise<T> {
  const from = source.openSession(() => undefined);
  const to = target.openSession(() => undefined);
  try {
    const holder = await tryRunLock(from, 'move');
    if (holder !== null) throw new ReconError('RUN_ACTIVE', `${holder}; nothing was moved.`);
    if ((await tryRunLock(to, 'move')) !== null) {
      throw (await isLockedBy(from, to))
        ? new ReconError('MOVE_REFUSED', 'The other database is the one that is in use. Nothing was moved.')
        : new ReconError('RUN_ACTIVE', 'A run is active on the other database; nothing was moved.');
    }
    return await work();
  } finally {
    await Promise.all([from, to].map((session) => session.end({ timeout: 1 })));
  }
}

/** Whether the session that holds the run lock of the one database also holds one in the other: they are the same. */
async function isLockedBy(holder: Sql, database: Sql): Promise<boolean> {
  const [own] = await holder<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const [found] = await database`
    select from pg_locks where locktype = 'advisory' and granted and pid = ${own?.pid ?? 0}
      and database = (select oid from pg_database where datname = current_database())`;
  return found !== undefined;
}

async function moveInto(source: Database, target: Database, request: MoveRequest): Promise<MovedRows[]> {
  if (await wasMovedThere(source.sql, target.sql, request)) {
    // Perhaps only this was interrupted.
    await updateStatistics(target.sql, request.logger);
    return [];
  }
  await refuseUnlessMovable(source.sql, target.sql, request);
  const begunAt = new Date(request.clock()).toISOString();
  await inDatabase('new', () =>
    target.sql.begin(async (tx) => {
      await tx`delete from database_moves`;
      await tx`insert into database_moves (moved_at, moved_to) values (${begunAt}, ${incompleteCopy})`;
    }),
  );
  const session = source.openSession(() => undefined);
  // Each statement sees what was committed before it: a snapshot would not show the writes for which the lock waits.
  const copy = async (tx: Tx) => {
    await keepWritersOut(tx, await tablesToMove(tx));
    // Only now: whoever was awaited may have added the table of a large file.
    const tables = await tablesToMove(tx);
    await inDatabase('either', () => copyRecordParts(tx, target.sql));
    const results = await copyTables(tx, target.sql, tables, request.progress);
    await copySequences(tx, target.sql);
    await tx`delete from database_moves`;
    await tx`insert into database_moves (moved_at, moved_to) values (${begunAt}, ${nameOf(request.to)})`;
    await refuseWrites(tx);
    return results;
  };
  // A connection that is lost ends the transaction at once, whatever it does at this moment.
  const moved = await inDatabase('old', () => session.begin('isolation level read committed', copy));
  failPoint('move.marked');
  await inDatabase('new', () =>
    target.sql.begin(async (tx) => {
      await tx`delete from database_moves`;
      await acceptWrites(tx);
      const rows = moved.reduce((sum, table) => sum + table.rows, 0);
      const details = { from: nameOf(request.from), tables: moved.length, rows };
      await appendAuditEvents(tx, request.author, [
        { action: 'database.moved', subject: nameOf(request.to), details },
      ]);
    }),
  );
  failPoint('move.complete');
  await updateStatistics(target.sql, request.logger);
  return moved;
}

/** The move is complete before: a failure, as on a full disk, must not be reported as one of the move. */
async function updateStatistics(target: Sql, logger: Logger): Promise<void> {
  try {
    await target`analyze`;
  } catch (thrown) {
    logger.warn(
      { reason: messageOf(thrown) },
      'The move is complete, but the statistics of the new database could not be updated. The same command updates them.',
    );
  }
}

/**
 * Waits for what is being written, and lets nothing else be written until the mark is there. In the order in which
 * transactions write, or else one of them and this one would wait for each other: the audit log comes last.
 */
async function keepWritersOut(tx: Tx, tables: readonly MovedTable[]): Promise<void> {
  const names = ['public.record_parts', ...tables.map(({ name }) => name)];
  const isLog = (name: string) => name.startsWith('public.audit_');
  const ordered = [...names.filter((name) => !isLog(name)), ...names.filter(isLog)];
  await tx.unsafe(`lock table ${ordered.join(', ')} in share row exclusive mode`);
}

/** The address for people, without password. */
function nameOf(target: DatabaseTarget): string {
  return 'url' in target
    ? describeAddress(readDatabaseUrl(target.url))
    : `the embedded database in ${target.dataDirectory}`;
}

/**
 * Whether an earlier call completed this move, and was killed or lost its connection before it could say so. The new
 * database then has the event of the move after the last event of the old one, which an empty one of the same name has
 * not.
 */
async function wasMovedThere(source: Sql, target: Sql, { to }: MoveRequest): Promise<boolean> {
  const mark = await readMoveMark(source);
  if (mark?.state !== 'moved' || mark.to !== nameOf(to) || (await readMoveMark(target)) !== undefined)
    return false;
  const [head] = await source<{ hash: string }[]>`select hash from audit_head`;
  if (head === undefined) throw new Error('audit_head has no row');
  const [event] = await target<{ found: boolean }[]>`
    select exists (select from audit_events where action = 'database.moved' and previous_hash = ${head.hash}) as found`;
  return event?.found === true;
}

/** @throws ReconError MOVE_REFUSED if a move would lose something */
async function refuseUnlessMovable(source: Sql, target: Sql, { from, to }: MoveRequest): Promise<void> {
  const [atSource, atTarget] = [await readMoveMark(source), await readMoveMark(target)];
  const refuse = (why: string) => new ReconError('MOVE_REFUSED', `${why} Nothing was moved.`);
  if (atSource?.state === 'incomplete') {
    throw refuse(
      `A move into ${nameOf(from)} has begun and is not complete, so some of its rows are missing.`,
    );
  }
  if (atSource?.state === 'moved' && (atSource.to !== nameOf(to) || atTarget?.state !== 'incomplete')) {
    throw refuse(
      `The database in use here (${nameOf(from)}) was moved to ${atSource.to} before; its rows are outdated.`,
    );
  }
  const referring = await tablesThatRefer(target);
  if (referring.length > 0) {
    throw refuse(
      `In ${nameOf(to)}, other tables refer to those of recon: ${referring.join(', ')}. Drop these references, because the rows are replaced.`,
    );
  }
  // What was moved away is outdated, so it may be replaced when the content comes back.
  if (atTarget !== undefined) return;
  const [content] = await target<{ found: boolean }[]>`
    select exists (select from runs) or exists (select from payments) or exists (select from settlement_files) as found`;
  if (content?.found === true) throw refuse(`${nameOf(to)} already has data of recon.`);
}
