import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Sql, Tx } from '../../../src/db/client.js';
import { openMigrationSession } from '../../../src/db/connect.js';
import { migrateDatabase } from '../../../src/db/migration/migrate.js';
import { administer, testUrl } from '../../support/database.js';

/** The last migration of version 0.1.0. */
const lastOfFirstVersion = '0004_record_parts';
const ours = path.resolve(import.meta.dirname, '../../../drizzle');

/** A database with the schema of version 0.1.0 and no rows. */
export interface FirstRelease {
  readonly url: string;
  readonly sql: Sql;
  /** Applies the migrations of this version; returns the applied ones. */
  migrate(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export async function createFirstRelease(): Promise<FirstRelease> {
  const name = `recon_test_${process.pid}_${randomBytes(5).toString('hex')}`;
  await administer(`create database ${name} template template0`);
  const folder = mkdtempSync(path.join(tmpdir(), 'recon-upgrade-'));
  cpSync(ours, folder, { recursive: true });
  const file = path.join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] };
  const end = journal.entries.findIndex(({ tag }) => tag === lastOfFirstVersion) + 1;
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  const url = testUrl(name);
  const sql = openMigrationSession(url);
  const migrate = (migrations: string) => migrateDatabase(sql, () => openMigrationSession(url), migrations);
  await migrate(folder);
  rmSync(folder, { recursive: true, force: true });
  return {
    url,
    sql,
    migrate: () => migrate(ours),
    remove: async () => {
      await sql.end();
      await administer(`drop database ${name} with (force)`);
    },
  };
}

/**
 * What version 0.1.0 itself stored for seven of the stories below `fixtures`, each with its own payment ids: one run
 * per story as of 2026-11-20, two files in separate tables.
 */
interface StoredData {
  readonly parts: readonly { readonly name: string; readonly bound: string }[];
  /** The rows of each table as JSON. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** The archived files by SHA-256. */
  readonly archive: Readonly<Record<string, string>>;
}

export const firstReleaseData = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'first-release.json'), 'utf8'),
) as StoredData;

/** Fills the database, and the archive of a data directory, as version 0.1.0 left them. */
export async function fillFirstRelease({ sql }: FirstRelease, dataDirectory: string): Promise<void> {
  const { parts, tables, archive } = firstReleaseData;
  await sql.begin(async (tx) => {
    // As a restore does it: rows that refer to each other come in any order, and no run has the fence.
    await tx`set local session_replication_role = replica`;
    for (const { name, bound } of parts) await createPart(tx, name, bound);
    for (const [table, rows] of Object.entries(tables)) {
      await tx`delete from ${tx(table)}`;
      const columns = await tx<{ name: string }[]>`
        select quote_ident(attname) as name from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
      const list = columns.map(({ name }) => name).join(', ');
      await tx.unsafe(
        `insert into ${table} (${list}) overriding system value
          select ${list} from json_populate_recordset(null::${table}, $1::text::json)`,
        [`[${rows.join(',')}]`],
      );
    }
    await tx.unsafe(`
      do $$ declare c record; highest bigint; begin
        for c in select a.attrelid::regclass as tab, a.attname as col from pg_attribute a
          join pg_class t on t.oid = a.attrelid and t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
          where a.attidentity <> '' loop
          execute format('select max(%I) from %s', c.col, c.tab) into highest;
          if highest is not null then
            perform setval(pg_get_serial_sequence(c.tab::text, c.col), highest);
          end if;
        end loop;
      end $$`);
  });
  for (const [sha256, text] of Object.entries(archive)) {
    const folder = path.join(dataDirectory, 'archive', sha256.slice(0, 2));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, sha256), text, { mode: 0o600 });
  }
}

/** As version 0.1.0 made the tables of records; the migration makes the first one. */
async function createPart(tx: Tx, name: string, bound: string): Promise<void> {
  const [exists] = await tx`select from pg_class where relname = ${name}`;
  if (exists !== undefined) return;
  await tx.unsafe(`create table ${name} (like settlement_records)`);
  await tx.unsafe(`create trigger require_fence before insert or update or delete or truncate on ${name}
    for each statement execute function require_fence()`);
  await tx.unsafe(
    `create unique index ${name}_identity on ${name} (settlement_date, fingerprint, occurrence)`,
  );
  await tx.unsafe(`alter table settlement_records attach partition ${name} ${bound}`);
}
