import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openMigrationSession } from '../../src/db/connect.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { recon } from './recon.js';

/** The SQL that a person can see: `explain --sql`, and the log at level trace. */
const demo = path.resolve(import.meta.dirname, '../../fixtures/demo');

const testDatabase = databaseForAllTests();
const folder = folderForAllTests();
let runLog: Entry[];

interface Entry {
  readonly level: number;
  readonly msg: string;
  readonly statement?: string;
  readonly durationMs?: number;
  readonly rows?: number;
}

beforeAll(async () => {
  cpSync(path.join(demo, 'inbound'), path.join(folder.path, 'inbox'), { recursive: true });
  writeFileSync(
    path.join(folder.path, 'recon.config.yaml'),
    `dataDirectory: data
databaseUrl: ${testDatabase.url}
sources:
  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }
`,
    { mode: 0o600 },
  );
  expect(
    (await recon(['payments', 'import', path.join(demo, 'payments.csv')], { cwd: folder.path })).code,
  ).toBe(0);
  const run = ['run', '--as-of', '2026-11-20', '--log-level', 'trace'];
  const { code, stderr } = await recon(run, { cwd: folder.path });
  // The demo has rejected rows.
  expect(code).toBe(1);
  runLog = entriesOf(stderr);
});

function entriesOf(stderr: string): Entry[] {
  const lines = stderr.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Entry);
}

const statementsOf = (entries: readonly Entry[]) => entries.flatMap(({ statement }) => statement ?? []);

async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await recon([...args, '--log-level', 'silent'], { cwd: folder.path });
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

test('trace logs the statements of every step of a run, and those around its transactions', () => {
  const statements = statementsOf(runLog).join('\n');
  for (const part of [
    /^begin isolation level repeatable read$/m,
    /^select set_config\('recon\.fence', \$1, true\)/m,
    /^copy settlement_records/m,
    /^create temp table new_matches/m,
    /^insert into record_matches/m,
    /^insert into chargeback_links/m,
    /^with resolved as \(\s+update discrepancies d set resolved_run/m,
    /^select string_agg\(t\.line/m,
    /^commit$/m,
  ])
    expect(statements).toMatch(part);
});

test('a statement of the log is one line with a duration, at level trace', () => {
  const sent = runLog.filter(({ statement }) => statement !== undefined);
  expect(sent.length).toBeGreaterThan(100);
  for (const { level, msg, statement = '', durationMs } of sent) {
    expect({ level, msg }).toEqual({ level: 10, msg: 'statement' });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(statement).not.toMatch(/[\n\r\t]| {2}/);
    expect(statement.length).toBeLessThanOrEqual(501);
  }
  const stored = sent.find(({ statement }) => statement?.startsWith('insert into record_matches'));
  expect(stored?.rows).toBeGreaterThan(100);
});

test('a run, a re-run and a dry run hardly ever ask whether the data is divided', async () => {
  const days = [
    '--from',
    '2026-11-01',
    '--to',
    '2026-11-30',
    '--as-of',
    '2026-11-20',
    '--log-level',
    'trace',
  ];
  const rerun = await recon(['rerun', ...days], { cwd: folder.path });
  const dryRun = await recon(['rerun', '--dry-run', ...days], { cwd: folder.path });
  const logs = { run: runLog, rerun: entriesOf(rerun.stderr), dryRun: entriesOf(dryRun.stderr) };
  for (const [name, log] of Object.entries(logs)) {
    const statements = statementsOf(log);
    expect(statements.length, name).toBeGreaterThan(100);
    const asked = statements.filter((statement) => statement.includes("relkind = 'p' as divided"));
    expect(asked.length, name).toBeLessThanOrEqual(3);
  }
});

test('no value reaches a statement of the log', () => {
  const statements = statementsOf(runLog).join('\n');
  const [, ...payments] = readFileSync(path.join(demo, 'payments.csv'), 'utf8').trim().split('\n');
  expect(payments.length).toBeGreaterThan(100);
  const ids = payments.map((line) => line.split(',')[0] ?? '').filter((id) => id.length > 8);
  expect(ids.filter((id) => statements.includes(id))).toEqual([]);
  expect(statements).not.toContain('settlement-2026-11-19.csv');
});

test('a statement that fails is logged as failed, without its parameters', async () => {
  await testDatabase.database.sql`alter table chargeback_links rename to renamed_links`;
  try {
    const args = ['explain', 'settlement-2026-11-19.csv:124', '--log-level', 'trace'];
    const { code, stderr } = await recon(args, { cwd: folder.path });
    expect(code).toBe(5);
    const entries = stderr.split('\n').filter((line) => line.startsWith('{'));
    const failed = entries
      .map((line) => JSON.parse(line) as Entry)
      .filter(({ msg }) => msg === 'statement failed');
    expect(statementsOf(failed)).toEqual([expect.stringMatching(/^select c\.code, c\.applies/)]);
    expect(entries.join('\n')).toContain('"statement":"rollback"');
    expect(entries.join('\n')).not.toContain('parameters');
  } finally {
    await testDatabase.database.sql`alter table renamed_links rename to chargeback_links`;
  }
});

test('levels above trace log no statement', async () => {
  const { code, stderr } = await recon(['explain', 'settlement-2026-11-19.csv:124', '--log-level', 'debug'], {
    cwd: folder.path,
  });
  expect(code).toBe(0);
  expect(statementsOf(entriesOf(stderr))).toEqual([]);
});

test('explain --sql prints a script that runs and finds what explain finds', async () => {
  const script = await output('explain', 'settlement-2026-11-19.csv:124', '--sql');
  expect(script).toMatch(/^-- The statements that explain settlement-2026-11-19\.csv:124, /);
  for (const title of [
    'Find the record',
    'Find payments by UNIQUE_ID',
    'Make every check of a single record',
  ])
    expect(script).toContain(`. ${title}\n`);
  expect(script).toMatch(/prepare explain_1 \(.*\) as\nselect\n {2}r\.file_id/);
  expect(script).toContain("execute explain_1 ('settlement-2026-11-19.csv',");
  expect(script).not.toContain('left out');
  const results = await executed(script);
  const found = JSON.stringify(results, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  expect(found).toContain('"DUPLICATE_SETTLEMENT"');
  const payment = /by UNIQUE_ID ([\w-]+)/.exec(await output('explain', 'settlement-2026-11-19.csv:124'));
  expect(found).toContain(`"${payment?.[1] ?? 'no payment'}"`);
});

test('explain --sql --json returns the explanation and its statements', async () => {
  const document = JSON.parse(
    await output('explain', 'settlement-2026-11-19.csv:124', '--sql', '--json'),
  ) as {
    explanation: unknown;
    statements: { title: string; text: string; parameters: { type: string; value: string | null }[] }[];
  };
  expect(document.explanation).toEqual(
    JSON.parse(await output('explain', 'settlement-2026-11-19.csv:124', '--json')),
  );
  const [first] = document.statements;
  expect(first?.title).toBe('Find the record');
  for (const { text, parameters } of document.statements)
    expect(new Set(text.match(/\$\d+/g)).size, text).toBe(parameters.length);
});

test.each([
  ['a card number', 'card 4111111111111111.csv'],
  ['a bare card number', '4111111111111111'],
  ['a name', 'Jane Doe'],
  ['a quote', "it's1"],
])('explain --sql leaves out a parameter that may be %s', async (_, name) => {
  const id = await idOfRecordNamed(name);
  try {
    const script = await output('explain', name, '--sql');
    expect(script).toContain(': left out\n');
    expect(script).toMatch(/^-- execute explain_\d+ \(.*<left out>.*\);$/m);
    expect(script.replace(/^-- The statements.*$/m, '')).not.toContain(name);
    expect(script).not.toContain('4111111111111111');
    await executed(script);
  } finally {
    await rename(name, id);
  }
});

/** Executes a script as psql does: everything on one connection. */
async function executed(script: string): Promise<unknown> {
  const session = openMigrationSession(testDatabase.url);
  try {
    return await session.unsafe(script).simple();
  } finally {
    await session.end();
  }
}

/** Gives one record a SettlementTxId and returns the one that it had. */
async function idOfRecordNamed(name: string): Promise<string> {
  const { sql } = testDatabase.database;
  const [row] = await sql<{ id: string }[]>`
    select settlement_tx_id as id from settlement_records where settlement_tx_id <> '' order by 1 limit 1`;
  const id = row?.id ?? '';
  await rename(id, name);
  return id;
}

async function rename(from: string, to: string): Promise<void> {
  await testDatabase.database.sql.begin(async (sql) => {
    // Only a run may write records.
    await sql`set local session_replication_role = replica`;
    await sql`update settlement_records set settlement_tx_id = ${to} where settlement_tx_id = ${from}`;
  });
}
