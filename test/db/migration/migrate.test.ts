import { cpSync, readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAndMigrate, openDatabase, openMigrationSession } from '../../../src/db/connect.js';
import { migrateDatabase, readSchemaState } from '../../../src/db/migration/migrate.js';
import { judgeSchema, readMigrations } from '../../../src/db/migration/schema-state.js';
import { administer, testUrl } from '../../support/database.js';
import { folderForEachTest } from '../../support/test-folder.js';

const logger = pino({ enabled: false });
const ours = path.resolve(import.meta.dirname, '../../../drizzle');
const tags = readMigrations(ours).map(({ tag }) => tag);
let name: string;
let url: string;
const folder = folderForEachTest();

beforeEach(async () => {
  name = `recon_test_${process.pid}_${randomBytes(5).toString('hex')}`;
  url = testUrl(name);
  await administer(`create database ${name} template template0`);
  cpSync(ours, folder.path, { recursive: true });
});
afterEach(async () => {
  await administer(`drop database ${name} with (force)`);
});

/** Adds a migration to the copied folder, `days` after the last one. */
function addMigration(tag: string, days: number): void {
  const file = path.join(folder.path, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as {
    entries: { idx: number; when: number; tag: string }[];
  };
  const last = journal.entries.at(-1);
  if (last === undefined) throw new Error('no migrations');
  journal.entries.push({ ...last, idx: last.idx + 1, tag, when: last.when + days * 86_400_000 });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(path.join(folder.path, `${tag}.sql`), `create table ${tag} (a int);`);
}

/** Leaves in the copied folder what came before the named migration; returns the names of the others. */
function truncateBefore(name: string): string[] {
  const file = path.join(folder.path, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] };
  const place = tags.findIndex((tag) => tag.endsWith(name));
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, place) }));
  return tags.slice(place);
}

async function migrateFrom(migrations: string, lockTimeoutSeconds?: number): Promise<readonly string[]> {
  const session = openMigrationSession(url);
  try {
    return await migrateDatabase(session, () => openMigrationSession(url), migrations, lockTimeoutSeconds);
  } finally {
    await session.end();
  }
}

test('of eight processes at once, one applies everything and the others find it done', async () => {
  const results = await Promise.all(Array.from({ length: 8 }, () => openAndMigrate({ url }, { logger })));
  expect(results.filter((applied) => applied.length > 0)).toEqual([tags]);
  const database = await openDatabase({ url }, { logger });
  expect(await readSchemaState(database.sql)).toEqual({ state: 'current' });
  expect(await database.sql`select count(*)::int as n from drizzle.__drizzle_migrations`).toEqual([
    { n: tags.length },
  ]);
  await database.close();
});

test('opening a database does not migrate it', async () => {
  await expect(openDatabase({ url }, { logger })).rejects.toMatchObject({
    code: 'DATABASE_SCHEMA',
    message: expect.stringContaining('no tables of recon') as string,
  });
  const database = await openDatabase({ url }, { logger, anySchema: true });
  expect(await readSchemaState(database.sql)).toEqual({ state: 'older', missing: tags, empty: true });
  await database.close();
});

test.each(['LATIN1', 'WIN1252'])(
  'a new database with the encoding %s is refused, and stays empty',
  async (encoding) => {
    await administer(`drop database ${name}`);
    await administer(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
    await expect(openAndMigrate({ url }, { logger })).rejects.toMatchObject({
      code: 'DATABASE_FAILED',
      message: expect.stringMatching(
        new RegExp(
          `^The database ${name} has the encoding ${encoding}, .*: create database ${name}_utf8 encoding 'UTF8'`,
        ),
      ) as string,
    });
    const session = openMigrationSession(url);
    try {
      expect(await readSchemaState(session)).toMatchObject({ state: 'older', empty: true });
      expect(await session`select from pg_namespace where nspname = 'drizzle'`).toHaveLength(0);
    } finally {
      await session.end();
    }
  },
);

test('a newer program adds what is missing; an older one refuses the newer database', async () => {
  await migrateFrom(ours);
  addMigration('later', 1);
  expect(await migrateFrom(folder.path)).toEqual(['later']);
  expect(await migrateFrom(folder.path)).toEqual([]);
  await expect(openDatabase({ url }, { logger })).rejects.toMatchObject({
    code: 'DATABASE_SCHEMA',
    message: expect.stringContaining('newer version') as string,
  });
  await expect(migrateFrom(ours)).rejects.toMatchObject({ code: 'DATABASE_SCHEMA' });
});

test('a migration that was edited after it was applied is refused', async () => {
  await migrateFrom(ours);
  appendFileSync(path.join(folder.path, `${tags[0] ?? ''}.sql`), '\n-- edited');
  addMigration('later', 1);
  await expect(migrateFrom(folder.path)).rejects.toThrow(`${tags[0] ?? ''} was applied with other content`);
});

test('a migration older than an applied one is refused, not skipped', async () => {
  addMigration('later', 2);
  await migrateFrom(folder.path);
  addMigration('merged_late', -1);
  await expect(migrateFrom(folder.path)).rejects.toThrow('merged_late was never applied');
});

test('a migration that waits too long for a program names it, and a later one is applied', async () => {
  const missing = truncateBefore('payments_of_entity');
  await migrateFrom(folder.path);
  const program = openMigrationSession(url);
  await program.unsafe(`set application_name = 'nightly import'`);
  await program.unsafe('begin');
  await program.unsafe('lock table payments in row exclusive mode');
  const [{ pid } = { pid: 0 }] = await program<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await expect(migrateFrom(ours, 1)).rejects.toMatchObject({
    code: 'DATABASE_FAILED',
    message: expect.stringMatching(
      new RegExp(
        `nothing was applied. These sessions hold locks on its tables: nightly import \\(process ${pid} of the server, in a transaction since [-0-9]{10} [:0-9]{8} UTC\\). Stop these`,
      ),
    ) as string,
  });
  await program.unsafe('rollback');
  await program.end();
  expect(await migrateFrom(ours)).toEqual(missing);
});

test('a migration that fails undoes the others as well', async () => {
  addMigration('broken', 1);
  writeFileSync(
    path.join(folder.path, 'broken.sql'),
    'create table half (a int);--> statement-breakpoint\nselect 1 / 0;',
  );
  await expect(migrateFrom(folder.path)).rejects.toThrow();
  const session = openMigrationSession(url);
  expect(await session`select count(*)::int as n from pg_tables where schemaname = 'public'`).toEqual([
    { n: 0 },
  ]);
  await session.end();
});

describe('judging', () => {
  const known = [
    { tag: 'a', when: 1, hash: 'A' },
    { tag: 'b', when: 2, hash: 'B' },
  ];
  test.each([
    [[], { state: 'older', missing: ['a', 'b'], empty: true }],
    [[{ when: 1, hash: 'A' }], { state: 'older', missing: ['b'], empty: false }],
    [
      [
        { when: 1, hash: 'A' },
        { when: 2, hash: 'B' },
      ],
      { state: 'current' },
    ],
    [[{ when: 1, hash: 'X' }], { state: 'edited', tag: 'a' }],
    [[{ when: 2, hash: 'B' }], { state: 'out-of-order', tag: 'a' }],
    [
      [
        { when: 1, hash: 'A' },
        { when: 2, hash: 'B' },
        { when: 3, hash: 'C' },
      ],
      { state: 'newer' },
    ],
  ])('%j', (applied, expected) => {
    expect(judgeSchema(applied, known)).toEqual(expected);
  });
});

test('findings about a payment as a whole get the id of the payment, and keep what is known of them', async () => {
  const later = truncateBefore('findings_of_payments');
  await migrateFrom(folder.path);
  const before = openMigrationSession(url);
  await before.begin(async (tx) => {
    await tx`select set_config('recon.fence', (select token::text from run_fence), true)`;
    await tx`insert into payments (key, id, payment_type, amount_minor, currency, result_code, requested_at)
      select n, 'p' || n, 'DB', 1, 'EUR', '000.000.000', '2026-11-19' from generate_series(1, 3) n`;
    await tx`insert into discrepancies
      (id, code, severity, file_id, line, payment_key, message, first_seen_run, resolved_run)
      values ('a', 'AMOUNT_MISMATCH', 'error', 1, 2, 1, 'resolved', 3, 5), ('b', 'AMOUNT_MISMATCH', 'error', 1, 3, 1, 'open', 5, null),
        ('c', 'AMOUNT_MISMATCH', 'error', 1, 4, 2, 'first', 1, 2), ('d', 'AMOUNT_MISMATCH', 'error', 1, 5, 2, 'second', 2, 3),
        ('e', 'CHARGEBACK_EXCEEDS_PAYMENT', 'error', 1, 6, 2, 'alone', 4, null),
        ('f', 'DUPLICATE_SETTLEMENT', 'error', 1, 7, 3, 'of a record', 4, null)`;
  });
  await before.end();
  expect(await migrateFrom(ours)).toEqual(later);
  const after = openMigrationSession(url);
  const id = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
  expect(
    await after`select id, message, first_seen_run as seen, resolved_run as resolved from discrepancies order by message`,
  ).toEqual([
    { id: id('CHARGEBACK_EXCEEDS_PAYMENT:p2'), message: 'alone', seen: 4, resolved: null },
    { id: id('AMOUNT_MISMATCH:p2'), message: 'first', seen: 1, resolved: 2 },
    { id: 'f', message: 'of a record', seen: 4, resolved: null },
    { id: id('AMOUNT_MISMATCH:p1'), message: 'open', seen: 3, resolved: null },
  ]);
  await after.end();
});
