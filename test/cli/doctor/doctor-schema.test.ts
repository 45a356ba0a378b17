import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { databaseForEachTest } from '../../support/database.js';
import { folderForEachTest } from '../../support/test-folder.js';
import { recon } from '../recon.js';

const cleanDay = path.resolve(
  import.meta.dirname,
  '../../../fixtures/clean-day/inbound/settlement-2026-11-19.csv',
);

const testDatabase = databaseForEachTest();
const folder = folderForEachTest();

beforeEach(() => {
  mkdirSync(path.join(folder.path, 'inbox'));
  configure(`databaseUrl: ${testDatabase.url}\n`);
});

function configure(more: string): void {
  const text = `dataDirectory: data\nlogLevel: silent\nsources:\n  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }\n`;
  writeFileSync(path.join(folder.path, 'recon.config.yaml'), `${more}${text}`, { mode: 0o600 });
}

interface Check {
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
  readonly code: string | null;
}

async function schemaCheck(): Promise<Check & { exitCode: number }> {
  const { code, stdout } = await recon(['doctor', '--json'], { cwd: folder.path });
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  const check = checks.find(({ subject }) => subject === 'schema');
  if (check === undefined) throw new Error(`doctor did not check the schema: ${stdout}`);
  return { ...check, exitCode: code };
}

const loadLargeFile = async () => {
  const ended = await recon(['run', '--file', cleanDay, '--as-of', '2026-11-20', '--json'], {
    cwd: folder.path,
  });
  expect(ended.code).toBeLessThan(2);
};

test.each<[damage: string, statements: string[], named: string[]]>([
  [
    'a trigger was dropped',
    ['drop trigger require_fence on record_matches'],
    ['trigger require_fence on record_matches is missing'],
  ],
  [
    'a trigger was disabled',
    ['alter table discrepancies disable trigger require_fence'],
    ['trigger require_fence on discrepancies is disabled'],
  ],
  [
    'an index was dropped',
    ['drop index settlement_files_sha256'],
    ['index settlement_files_sha256 on settlement_files is missing'],
  ],
  [
    'an index is no longer unique',
    [
      'drop index settlement_files_sha256',
      'create index settlement_files_sha256 on settlement_files (sha256)',
    ],
    [
      'index settlement_files_sha256 on settlement_files is "btree (sha256)" and must be "unique btree (sha256)"',
    ],
  ],
  [
    'an index is invalid',
    ["update pg_index set indisvalid = false where indexrelid = 'payments_reversals'::regclass"],
    ['index payments_reversals on payments is invalid'],
  ],
  [
    'the job queue of webhooks is incomplete',
    ['drop table recon_queue._private_tasks cascade', 'drop function recon_queue.force_unlock_workers'],
    [
      'recon_queue._private_tasks is missing',
      'recon_queue.jobs is missing',
      'recon_queue.force_unlock_workers() is missing',
    ],
  ],
  [
    'a constraint was dropped',
    ['alter table record_matches drop constraint record_matches_file_id_line_pk cascade'],
    ['constraint record_matches_file_id_line_pk on record_matches is missing'],
  ],
  [
    'a part is not attached',
    ['alter table settlement_records detach partition settlement_records_1'],
    ['table settlement_records_1 is not attached (of settlement_records FOR VALUES FROM (1) TO (10001))'],
  ],
  [
    'the table of a part is missing',
    ['drop table settlement_records_1'],
    ['table settlement_records_1 is missing'],
  ],
  [
    'a function was dropped',
    ['drop function require_fence() cascade'],
    ['function require_fence() is missing', 'trigger require_fence on settlement_records_1 is missing'],
  ],
  [
    'a column was dropped',
    ['alter table payments drop column amount_minor cascade'],
    ['column payments.amount_minor is missing'],
  ],
  [
    'a column has another type',
    ['alter table rejected_rows alter column line type bigint'],
    ['column rejected_rows.line is "bigint not null" and must be "integer not null"'],
  ],
  ['a table was dropped', ['drop table payments cascade'], ['table payments is missing']],
  ['the parts were not restored', ['delete from record_parts'], ['table record_parts is empty']],
  ['the fence was not restored', ['delete from run_fence'], ['table run_fence is empty']],
])('doctor names what is damaged: %s', async (_damage, statements, named) => {
  for (const statement of statements) await testDatabase.database.sql.unsafe(statement);
  const check = await schemaCheck();
  expect(check).toMatchObject({ ok: false, code: 'DATABASE_SCHEMA', exitCode: 5 });
  const lines = check.message.split('\n');
  for (const sentence of named) expect(lines).toContain(sentence);
  expect(check.message).toContain('Restore it again');

  const { code, stdout } = await recon(['doctor'], { cwd: folder.path });
  expect(code).toBe(5);
  expect(stdout).toContain('WRONG  schema: The database is incomplete');
  for (const sentence of named) expect(stdout).toContain(sentence);
});

test('migrate names what is damaged too, also where no migration is missing', async () => {
  await testDatabase.database.sql`drop index settlement_files_sha256`;
  for (const more of [[], ['--check']]) {
    const { code, stderr } = await recon(['migrate', ...more], { cwd: folder.path });
    expect(code).toBe(5);
    expect(stderr).toContain('index settlement_files_sha256 on settlement_files is missing');
  }
});

// pg_restore makes types and tables first, and fills the record of the migrations after them.
test.each([
  [
    'nothing but a type',
    `drop schema drizzle, public cascade; create schema public; create type matched_by as enum ('UNIQUE_ID')`,
  ],
  ['tables without the record of migrations', 'delete from drizzle.__drizzle_migrations'],
])('a restore that ended early left %s: it is called so, not empty', async (_what, statements) => {
  await testDatabase.database.sql.unsafe(statements);
  for (const command of ['migrate', 'doctor', 'run']) {
    const { code, stdout, stderr } = await recon([command], { cwd: folder.path });
    expect(code, command).toBe(5);
    expect(stdout + stderr).toMatch(/has tables or types of recon \((?:matched_by\)|accept_checks, )/);
    expect(stdout + stderr).toContain('restore it again, completely, into an empty database');
  }
});

test('a dropped table is named once, without everything that was on it', async () => {
  await testDatabase.database.sql`drop table payment_events`;
  const { message } = await schemaCheck();
  expect(message.split('\n').filter((line) => line.includes('payment_events'))).toEqual([
    'sequence payment_events_sequence_seq is missing',
    'table payment_events is missing',
  ]);
});

test('a database with tables of large files, and with what an operator added, is complete', async () => {
  configure(`databaseUrl: ${testDatabase.url}\nlargeFileBytes: 0\n`);
  const { sql } = testDatabase.database;
  await loadLargeFile();
  await sql`create index of_the_operator on payments (amount_minor)`;
  await sql`create table of_the_operator_too (a integer)`;
  const parts = await sql<{ name: string }[]>`
    select 'settlement_records_' || first_file_id as name from record_parts where own_file`;
  expect(parts).toHaveLength(1);
  expect(await schemaCheck()).toMatchObject({ ok: true, exitCode: 0 });

  const [large = { name: '' }] = parts;
  await sql`drop index ${sql(`${large.name}_identity`)}`;
  expect((await schemaCheck()).message).toContain(`index ${large.name}_identity on ${large.name} is missing`);
  await sql`drop table ${sql(large.name)}`;
  expect((await schemaCheck()).message.split('\n')).toContain(`table ${large.name} is missing`);
});

test('a part of a large file whose load has not happened has no table yet', async () => {
  await testDatabase.database.sql`
    insert into record_parts (first_file_id, end_file_id, own_file, month) values (10001, 10002, true, '2026-11-01')`;
  expect(await schemaCheck()).toMatchObject({ ok: true, exitCode: 0 });
});

test('the embedded database is complete', async () => {
  configure('');
  expect(await schemaCheck()).toMatchObject({ ok: true, exitCode: 0 });
});

test.each([
  ['was dropped', 'drop trigger require_fence on record_matches', 'record_matches'],
  ['is disabled', 'alter table discrepancies disable trigger require_fence', 'discrepancies'],
  [
    'is disabled on a part',
    'alter table settlement_records_1 disable trigger require_fence',
    'settlement_records_1',
  ],
  [
    'works only for replication',
    'alter table settlement_files enable replica trigger require_fence',
    'settlement_files',
  ],
])('a run refuses to begin where the fence of a table %s', async (_how, statement, table) => {
  const { sql } = testDatabase.database;
  await sql.unsafe(statement);
  for (const more of [[], ['--dry-run']]) {
    const ended = await recon(['run', '--as-of', '2026-11-20', '--json', ...more], { cwd: folder.path });
    expect(ended.code).toBe(5);
    const { error } = JSON.parse(ended.stdout) as { error: { code: string; message: string } };
    expect(error.code).toBe('DATABASE_SCHEMA');
    expect(error.message).toContain(`The trigger require_fence is missing or disabled on ${table}.`);
  }
  expect(await sql`select from runs`).toHaveLength(0);
});
