import { ReconError } from '../../errors.js';
import { packageFile } from '../../package-files.js';
import { appendAuditEvents } from '../audit-log/append-audit-events.js';
import { findOurNames } from './check-schema.js';
import type { Sql } from '../client.js';
import { sqlStateOf } from '../database-errors.js';
import { judgeSchema, readMigrations, type AppliedMigration, type SchemaState } from './schema-state.js';

const ourMigrations = packageFile('drizzle');
/** Any number that no other program in the same database uses. */
const migrationLock = '7236501189';
const lockNotAvailable = '55P03';

/**
 * Applies the missing migrations. Only one caller at a time per database: drizzle's migrator takes no lock, and of
 * three concurrent calls two fail (measured). All migrations run in one transaction, so all are applied or none.
 *
 * @param sql any connection, to check first: usually there is nothing to do
 * @param openSession opens a client with a single connection, which is closed here
 * @param lockTimeoutSeconds how long each statement waits for transactions of other programs
 * @returns the names of the migrations applied by this call
 * @throws ReconError DATABASE_SCHEMA when the database is newer than the program, a migration was edited after it was
 *   applied, or one would have to be applied before an already applied one; DATABASE_FAILED after the lock timeout, and
 *   for a new database whose encoding cannot store every character
 */
export async function migrateDatabase(
  sql: Sql,
  openSession: () => Sql,
  migrationsFolder = ourMigrations,
  lockTimeoutSeconds = 60,
): Promise<readonly string[]> {
  const atFirst = await readSchemaState(sql, migrationsFolder);
  if (atFirst.state === 'current') return [];
  const session = openSession();
  try {
    await session`select set_config('lock_timeout', ${`${lockTimeoutSeconds}s`}, false)`;
    // Released when the session ends.
    await session`select pg_advisory_lock(${migrationLock}::bigint)`;
    const before = await readSchemaState(session, migrationsFolder);
    if (before.state === 'current') return [];
    if (before.state !== 'older') throw schemaError(before);
    if (before.empty) await requireUtf8(session);
    await applyMigrations(session, migrationsFolder).catch(async (thrown: unknown) => {
      if (sqlStateOf(thrown) !== lockNotAvailable) throw thrown;
      throw await waitedTooLong(session, lockTimeoutSeconds, thrown);
    });
    const after = await readSchemaState(session, migrationsFolder);
    if (after.state !== 'current') throw schemaError(after);
    await recordMigrations(session, before.missing);
    return before.missing;
  } finally {
    await session.end({ timeout: 5 });
  }
}

/**
 * Any other encoding cannot store every character of a settlement file, and with some the first run would fail.
 * SQL_ASCII, which servers have that were set up without a locale, stores every text as it is. A database that has
 * tables already is left as it is.
 *
 * @throws ReconError DATABASE_FAILED
 */
async function requireUtf8(session: Sql): Promise<void> {
  const [row] = await session<{ encoding: string; name: string }[]>`
    select current_setting('server_encoding') as encoding, current_database() as name`;
  if (row === undefined || ['UTF8', 'SQL_ASCII'].includes(row.encoding)) return;
  throw new ReconError(
    'DATABASE_FAILED',
    `The database ${row.name} has the encoding ${row.encoding}, and recon needs UTF8; nothing was created. Create another one: create database ${row.name}_utf8 encoding 'UTF8' locale 'C' template template0. Then name that one in the URL.`,
  );
}

/** Loads drizzle here: that takes 80 ms (measured), and most commands have nothing to apply. */
async function applyMigrations(session: Sql, migrationsFolder: string): Promise<void> {
  const [{ drizzle }, { migrate }] = await Promise.all([
    import('drizzle-orm/postgres-js'),
    import('drizzle-orm/postgres-js/migrator'),
  ]);
  await migrate(drizzle(session), { migrationsFolder });
}

/**
 * Names the sessions that were most likely waited for, because they still hold locks on tables of recon. Whoever
 * updates recon often does not know which program is still active.
 */
async function waitedTooLong(session: Sql, seconds: number, cause: unknown): Promise<ReconError> {
  // The start of a transaction is hidden if it belongs to another user of the database.
  const holders = await session<{ pid: number; name: string; since: string | null }[]>`
    select a.pid, coalesce(nullif(a.application_name, ''), a.usename, 'unknown') as name,
      to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as since
    from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid()
    and exists (select from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = a.pid and l.granted and l.locktype = 'relation' and c.relkind in ('r', 'p')
      and c.relnamespace = to_regnamespace('public'))
    order by a.xact_start, a.pid`;
  const names = holders.map(
    ({ pid, name, since }) =>
      `${name} (process ${pid} of the server${since === null ? '' : `, in a transaction since ${since} UTC`})`,
  );
  const held = names.length === 0 ? '' : ` These sessions hold locks on its tables: ${shortened(names)}.`;
  return new ReconError(
    'DATABASE_FAILED',
    `The migrations waited ${seconds} seconds for other sessions of the database, and nothing was applied.${held} Stop these programs or end their transactions.`,
    { cause },
  );
}

/** In a second transaction: the migrator has ended the one that applied them. */
async function recordMigrations(session: Sql, migrations: readonly string[]): Promise<void> {
  await session.begin(async (tx) => {
    const [log] = await tx<{ role: string; exists: boolean }[]>`
      select session_user as role, to_regclass('audit_events') is not null as exists`;
    // Tests migrate to older schemas.
    if (log?.exists !== true) return;
    const details = { migrations };
    await appendAuditEvents(tx, `database role ${log.role}`, [
      { action: 'database.migrated', subject: 'database', details },
    ]);
  });
}

/** @throws ReconError DATABASE_SCHEMA unless the schema is exactly this program's */
export async function requireCurrentSchema(sql: Sql): Promise<void> {
  const state = await readSchemaState(sql);
  if (state.state !== 'current') throw schemaError(state);
}

/** The differences between the database and this program. */
export async function readSchemaState(sql: Sql, migrationsFolder = ourMigrations): Promise<SchemaState> {
  const [table] = await sql<{ found: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as found`;
  const applied =
    table?.found === true
      ? await sql<AppliedMigration[]>`
          select hash, created_at::float8 as when from drizzle.__drizzle_migrations order by created_at`
      : [];
  const state = judgeSchema(applied, readMigrations(migrationsFolder));
  if (state.state !== 'older' || !state.empty) return state;
  const found = await findOurNames(sql);
  return found.length === 0 ? state : { state: 'unrecorded', found };
}

const mostNamed = 5;

function shortened(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return [...names.slice(0, mostNamed), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function schemaError(state: Exclude<SchemaState, { state: 'current' }>): ReconError {
  return new ReconError('DATABASE_SCHEMA', whyNotCurrent(state));
}

function whyNotCurrent(state: Exclude<SchemaState, { state: 'current' }>): string {
  switch (state.state) {
    case 'older':
      return state.empty
        ? 'The database has no tables of recon yet.'
        : `The database is older than this version of recon. These migrations are missing: ${shortened(state.missing)}.`;
    case 'unrecorded':
      return `The database has tables or types of recon (${shortened(state.found)}) but no record of the migrations that create them. An unfinished restore leaves a database like this: restore it again, completely, into an empty database. If they belong to another program, give recon a separate database.`;
    case 'newer':
      return 'The database was migrated by a newer version of recon than this one.';
    case 'edited':
      return `Migration ${state.tag} was applied with other content than it has now.`;
    case 'out-of-order':
      return `Migration ${state.tag} was never applied, but a later one was; the database was migrated by a different version history.`;
  }
}
