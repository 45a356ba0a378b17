import type { Logger } from 'pino';
import { exitCodes, ReconError } from '../errors.js';
import { onAborted } from '../interruption.js';
import { loseSessions } from './sessions/sessions-alike.js';
import type { Sql } from './client.js';
import { readDatabaseUrl, type ConnectionAddress } from './connection/connection-address.js';
import { requireSuitablePooler } from './connection/connection-pooler.js';
import { createClient } from './connection/create-client.js';
import { comesFromLoss, toReconError } from './database-errors.js';
import { requireNoShard } from './shards/is-divided.js';
import { watchShards } from './shards/watch-shards.js';
import { holdEmbeddedServer, isClusterThere, type EmbeddedServer } from './embedded/embedded-server.js';
import { migrateDatabase, requireCurrentSchema } from './migration/migrate.js';
import { requireNotMoved } from './connection/move-mark.js';
import { waitUntilUp } from './connection/wait-until-up.js';
import { logStatements } from './watch-statements.js';

/** An open database: a small pool for single statements and reads, and separate sessions. */
export interface Database {
  readonly sql: Sql;
  /** For tools on the same machine; contains the password if there is one, so it is never logged. */
  readonly url: string;
  /**
   * A separate connection, for session locks and for transactions that must know when it is lost: `lost` is called at
   * that moment, before any statement fails, unless `end()` was called. Then discard the session, because the driver
   * would continue it on another connection.
   */
  openSession(lost: () => void): Sql;
  /** The same database with another logger for its statements: that of a run, whose lines carry its number. */
  loggedBy(logger: Logger): Database;
  /**
   * The same error, or its cause where the connections do not show it: the embedded server ends every connection when
   * its disk is full or one of its processes was killed, and statements that wait for a shard without an answer are
   * cancelled. Only for the error that a command or run ends with.
   */
  explain(error: ReconError): ReconError;
  /** Closes every connection, sessions included; the last user also stops the embedded server. */
  close(): Promise<void>;
}

/** The operator's server, or the embedded server of a data directory. */
export type DatabaseTarget =
  | {
      readonly url: string;
      /** Where the person wrote the URL, for messages, if it is not the configured one. */
      readonly setting?: string;
    }
  | { readonly dataDirectory: string };

/** How a database is opened, besides where it is. */
export interface DatabaseOptions {
  readonly logger: Logger;
  readonly applicationName?: string;
  /** Server settings of the embedded cluster, for tests. */
  readonly embeddedSettings?: Readonly<Record<string, string>>;
  /** Open a database with any schema or none, without waiting long for its server; for tests. */
  readonly anySchema?: boolean;
  /** Closes the database while it is in use, so that every statement fails; for a command that is to end. */
  readonly closeOn?: AbortSignal | undefined;
  /** Also open a database that was moved, or that a move has not finished; for `recon move`. */
  readonly moved?: boolean;
}

const poolSize = 4;

/**
 * Opens the database. The embedded server is started or, if it runs, connected to, and created and migrated on first
 * use; the operator's server is never migrated automatically. Waits up to a minute for a server that is starting, and
 * some seconds for one that refuses connections, as a server does during a restart.
 *
 * @throws ReconError DATABASE_UNREACHABLE, DATABASE_AUTHENTICATION, DATABASE_SCHEMA, DATABASE_EMBEDDED, DISK_FAILED,
 *   DISK_FULL
 */
export async function openDatabase(target: DatabaseTarget, options: DatabaseOptions): Promise<Database> {
  if ('url' in target) {
    const { setting } = target;
    const address = await acceptedProtection(readDatabaseUrl(target.url, setting), options);
    const database = connectTo(target.url, address, options);
    try {
      await waitUntilUp(database.sql, address, { isPatient: options.anySchema !== true, setting });
      await requireSuitablePooler(database.sql, () => database.openSession(() => undefined));
      if (options.anySchema !== true) await requireCurrentSchema(database.sql);
      await requireUsable(database.sql, options);
      return database;
    } catch (thrown) {
      await database.close();
      throw toReconError(thrown) ?? thrown;
    }
  }
  const server = await holdEmbeddedServer(target.dataDirectory, options.embeddedSettings, options.logger);
  const database = connectTo(server.url, readDatabaseUrl(server.url), options, server);
  try {
    const applied = await migrateDatabase(database.sql, () =>
      openMigrationSession(server.url, options.logger),
    );
    if (applied.length > 0) options.logger.debug({ applied }, 'The embedded database was migrated.');
    await requireUsable(database.sql, options);
    return database;
  } catch (thrown) {
    await database.close();
    const known = toReconError(thrown);
    throw known === undefined ? thrown : database.explain(known);
  }
}

/** Whether the database can be opened without creating it. That of a server always can, or the attempt says why not. */
export async function isCreated(target: DatabaseTarget): Promise<boolean> {
  return 'url' in target || (await isClusterThere(target.dataDirectory));
}

/** What a command did is done, even if a full disk does not let it stop the server. */
async function releaseServer(server: EmbeddedServer, logger: Logger): Promise<void> {
  try {
    await server.release();
  } catch (thrown) {
    if (!(thrown instanceof ReconError) || thrown.exitCode !== exitCodes.disk) throw thrown;
    logger.warn(
      { code: thrown.code },
      `${thrown.message} The embedded database keeps running; the next command uses it and stops it.`,
    );
  }
}

/** Refuses a shard and a database that was moved. */
async function requireUsable(sql: Sql, { anySchema, moved }: DatabaseOptions): Promise<void> {
  if (anySchema === true) return;
  await requireNoShard(sql);
  if (moved !== true) await requireNotMoved(sql);
}

/**
 * `recon migrate`: applies the missing migrations.
 *
 * @returns the names of the migrations applied, none when it was current
 * @throws ReconError as `openDatabase`; DATABASE_SCHEMA when it is newer than the program or was altered
 */
export async function openAndMigrate(
  target: DatabaseTarget,
  options: DatabaseOptions,
): Promise<readonly string[]> {
  const server =
    'url' in target
      ? undefined
      : await holdEmbeddedServer(target.dataDirectory, options.embeddedSettings, options.logger);
  const url = 'url' in target ? target.url : (server?.url ?? '');
  const setting = 'url' in target ? target.setting : undefined;
  const address = await acceptedProtection(readDatabaseUrl(url, setting), options);
  const database = connectTo(url, address, options, server);
  try {
    await waitUntilUp(database.sql, address, { isPatient: true, setting });
    if (server === undefined)
      await requireSuitablePooler(database.sql, () => database.openSession(() => undefined));
    return await migrateDatabase(database.sql, () => logStatements(sessionAt(address), options.logger));
  } catch (thrown) {
    const known = toReconError(thrown);
    throw known === undefined ? thrown : database.explain(known);
  } finally {
    await database.close();
  }
}

/** The `application_name` of sessions that migrate: a moved database refuses the writes of all others. */
export const migrationSession = 'recon migrate';

/** A single connection, for migrating and for administration; the caller ends it. */
export function openMigrationSession(url: string, logger?: Logger): Sql {
  const session = sessionAt(readDatabaseUrl(url));
  return logger === undefined ? session : logStatements(session, logger);
}

function sessionAt(address: ConnectionAddress): Sql {
  return createClient(address, { max: 1, applicationName: migrationSession });
}

/** The server refuses this kind of connection (28000), or offers no suitable TLS. */
const refusesProtection = /^(28000$|ERR_SSL|ERR_TLS|EPROTO$)/;

/**
 * With `sslmode` allow and prefer, libpq tries a second kind of connection if the server refuses the first; the driver
 * supports only one. So this is found out once, before the connections are opened.
 */
async function acceptedProtection(
  address: ConnectionAddress,
  { closeOn }: Pick<DatabaseOptions, 'closeOn'>,
): Promise<ConnectionAddress> {
  const { otherSsl, ...first } = address;
  if (otherSsl === undefined) return first;
  const session = sessionAt(first);
  onAborted(closeOn, () => void session.end({ timeout: 0 }));
  try {
    await session`select 1`;
    return first;
  } catch (thrown) {
    const code = (thrown as { code?: string }).code ?? '';
    return refusesProtection.test(code) ? { ...first, ssl: otherSsl } : first;
  } finally {
    await session.end({ timeout: 1 });
  }
}

function connectTo(
  url: string,
  address: ConnectionAddress,
  { logger, applicationName = 'recon', closeOn }: DatabaseOptions,
  server?: EmbeddedServer,
): Database {
  const client = createClient(address, { max: poolSize, applicationName });
  const sessions = new Set<Sql>();
  let closing: Promise<void> | undefined;
  const watch = watchShards(() => createClient(address, { max: 1, applicationName }));
  const closeWithin = async (timeoutSeconds: number) => {
    watch.end();
    await Promise.all([client, ...sessions].map((each) => each.end({ timeout: timeoutSeconds })));
    if (server !== undefined) await releaseServer(server, logger);
  };
  const close = () => (closing ??= closeWithin(5));
  onAborted(closeOn, () => {
    closing ??= loseSessions(client).then(() => closeWithin(1));
    // Whoever opened the database closes it too, and is the one who is to know.
    closing.catch(() => undefined);
  });
  const loggedBy = (own: Logger): Database => ({
    sql: logStatements(client, own),
    url,
    openSession: (lost) => {
      const session = logStatements(
        openSession(address, applicationName, lost, () => sessions.delete(session)),
        own,
      );
      sessions.add(session);
      return session;
    },
    loggedBy,
    explain: (error) => (comesFromLoss(error) ? server?.causeOfLoss() : undefined) ?? watch.explain(error),
    close,
  });
  return loggedBy(logger);
}

function openSession(
  address: ConnectionAddress,
  applicationName: string,
  lost: () => void,
  ended: () => void,
): Sql {
  let ending = false;
  let isLost = false;
  const session = createClient(address, {
    max: 1,
    applicationName,
    onclose: () => {
      isLost = true;
      if (!ending) lost();
    },
  });
  const end = session.end.bind(session);
  session.end = (endOptions) => {
    ending = true;
    ended();
    // The driver would wait for the statement that a lost connection was executing.
    return end(isLost ? { timeout: 0 } : endOptions);
  };
  return session;
}
