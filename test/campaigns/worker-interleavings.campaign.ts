import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { failPoints, type FailPoint } from '../../src/fail-point.js';
import { filesBelow } from '../cli/installation.js';
import { chanceFrom, repetitions, reportCounts, seed, seeded, type Chance } from '../support/campaign.js';
import { administer, createTestDatabase, type TestDatabase } from '../support/database.js';
import { paymentRow, paymentsFileOf } from '../support/payment-rows.js';
import { fileOfRows, paymentId, settlementRow } from '../support/settlement-rows.js';
import { startSftpServer } from '../support/sftp-server.js';
import { folderForThisTest } from '../support/test-folder.js';
import type { Pause } from '../worker/command-thread.js';
import { CommandThreads } from '../worker/command-threads.js';

/**
 * One to eight workers, each of which pauses at random places between claiming a file to download or to load and
 * its end, some of them for longer than their lease, and some end there. The clocks of half of them are an hour off.
 * All that a run stores and reports is the same as without workers. `SEED=s FROM=n SCALE=0.001` repeats round n of the
 * seed s.
 */
const from = Number(process.env['FROM'] ?? 0);
/** Rounds at the same time: most of a round is waiting. */
const lanes = Number(process.env['LANES'] ?? 3);

/** Then it stops, so that one cause does not take an hour. */
const mostFailures = 5;

const nights = 4;
const leaseMs = 1_000;
// Object.keys returns `string[]`, but these are exactly the keys of the literal.
const points = (Object.keys(failPoints) as FailPoint[]).filter((name) =>
  /^(?:download|sync|archive|register|worker|load|copy|part|staging)\./.test(name),
);

test(
  seeded('1 to 8 workers in random interleavings store and report the same as a run alone'),
  async () => {
    const folder = folderForThisTest();
    const threads = new CommandThreads();
    onTestFinished(() => threads.close());
    const template = await paidTemplate(folder, threads);
    const scene: Scene = { folder, threads, template, alone: new Map(), counts: new Map(), failures: [] };
    for (let night = 0; night < nights; night += 1) {
      mkdirSync(path.join(folder, `night-${night}`, 'a'), { recursive: true });
      const server = await startSftpServer(path.join(folder, `night-${night}`, 'a'));
      onTestFinished(() => server.close());
      writeNight(folder, night, server);
      for (const filesAtOnce of [1, 2])
        scene.alone.set(`${night} ${filesAtOnce}`, await playRound(scene, { night, filesAtOnce }, null));
    }
    const rounds = Array.from({ length: repetitions(1000) }, (_, at) => from + at);
    try {
      await Promise.all(Array.from({ length: lanes }, () => playRounds(scene, rounds)));
    } finally {
      reportCounts('interleavings', Object.fromEntries(scene.counts));
    }
    if (scene.failures.length > 0)
      throw new AggregateError(scene.failures, String(scene.failures[0]?.message));
    // What ran is what the name says.
    if (from > 0) return;
    for (const what of ['files by workers', 'files fetched by workers'])
      expect(scene.counts.get(what) ?? 0, what).toBeGreaterThan(0);
  },
  4 * 3_600_000,
);

interface Scene {
  readonly folder: string;
  readonly threads: CommandThreads;
  /** A database with payments, to which nobody is connected. */
  readonly template: string;
  /** What each night gives without workers. */
  readonly alone: Map<string, readonly string[]>;
  readonly counts: Map<string, number>;
  readonly failures: Error[];
}

async function playRounds(scene: Scene, rounds: number[]): Promise<void> {
  for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
    const chance = chanceFrom(seed + round);
    const drawn = { night: chance.integer(0, nights - 1), filesAtOnce: chance.pick([1, 1, 2]) };
    try {
      expect(await playRound(scene, drawn, chance)).toEqual(
        scene.alone.get(`${drawn.night} ${drawn.filesAtOnce}`),
      );
    } catch (thrown) {
      const message = `round ${round}: SEED=${seed} FROM=${round} SCALE=0.001 repeats it`;
      scene.failures.push(new Error(message, { cause: thrown }));
      if (scene.failures.length === mostFailures) rounds.length = 0;
    }
    count(scene, 'rounds', 1);
    if ((scene.counts.get('rounds') ?? 0) % 100 === 0)
      reportCounts('interleavings so far', Object.fromEntries(scene.counts));
  }
}

/** One night with these randomly chosen workers. Returns all that the run left, as text. */
async function playRound(
  scene: Scene,
  { night, filesAtOnce }: { readonly night: number; readonly filesAtOnce: number },
  chance: Chance | null,
): Promise<string[]> {
  const { folder, threads, template } = scene;
  const database = await createTestDatabase(template);
  const cwd = path.join(folder, `night-${night}`);
  const dataDirectory = mkdtempSync(path.join(folder, 'data-'));
  const environment = {
    RECON_DATABASE_URL: database.url,
    RECON_DATA_DIR: dataDirectory,
    RECON_CONFIG: path.join(cwd, `${filesAtOnce}.yaml`),
  };
  const start = (args: string[], pauses: readonly Pause[], clockHours = 0) =>
    threads.start({ args, cwd, environment, pauses, clockHours });
  const workerCount = chance === null ? 0 : chance.pick([1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8]);
  const workers = Array.from({ length: workerCount }, () =>
    start(['worker'], pausesOf(chance, true), chance?.pick([0, 0, 1, -1])),
  );
  try {
    await untilSeen(database, workerCount);
    const run = await start(['run', '--as-of', '2026-11-20', '--json'], pausesOf(chance, false)).ended;
    expect(run?.code, `${run?.stdout}\n${run?.stderr}`).toBe(1);
    for (const worker of workers) worker.stop();
    const ended = await Promise.all(workers.map(({ ended }) => ended));
    for (const answer of ended) expect([130, undefined], answer?.stderr).toContain(answer?.code);
    await expectNothingLeft(database, ended.filter((answer) => answer === null).length);
    countRound(scene, workerCount, [run, ...ended]);
    return await leftBy(database, dataDirectory);
  } finally {
    for (const worker of workers) worker.stop();
    await Promise.all(workers.map(({ ended }) => ended));
    await database.drop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

/** Most pauses are short and change the order; some are longer than a lease; few workers end. */
function pausesOf(chance: Chance | null, mayEnd: boolean): Pause[] {
  if (chance === null) return [];
  return Array.from({ length: chance.integer(1, 6) }, () => {
    const point = chance.pick(points);
    const passed = chance.integer(1, point === 'copy.row' ? 30 : 2);
    const kind = chance.fraction();
    if (kind < 0.04 && mayEnd) return { point, passed, ms: null };
    if (kind < 0.1) return { point, passed, ms: leaseMs + chance.integer(50, 400) };
    return { point, passed, ms: chance.integer(1, kind < 0.3 ? 250 : 40) };
  });
}

async function untilSeen({ database: { sql } }: TestDatabase, workers: number): Promise<void> {
  for (;;) {
    const seen = await sql`select from workers`;
    if (seen.count >= workers) return;
    await sleep(20);
  }
}

async function expectNothingLeft({ database: { sql } }: TestDatabase, killed: number): Promise<void> {
  expect(await sql`select place from file_claims`).toEqual([]);
  // The next run withdraws what a worker was changing while it stood still.
  expect(await sql`select place from file_downloads where owner is null or owner like 'run-%'`).toEqual([]);
  expect((await sql`select id from workers`).count).toBe(killed);
}

/** The rows of every table without times, and the hash of every report. */
async function leftBy({ database: { sql } }: TestDatabase, dataDirectory: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ${sql([...volatileTables])}
    order by 1`;
  const left: string[] = [];
  for (const { name } of tables) {
    const rows = await sql<{ row: string }[]>`
      select (to_jsonb(t) - ${[...volatileColumns]}::text[])::text as row from ${sql(name)} t order by 1`;
    const lines = rows.map(({ row }) => withoutFolder(row, dataDirectory));
    left.push(`${name}: ${rows.length} rows, ${hashOf(lines)}`);
    if (process.env['SHOW'] === name) left.push(...lines);
  }
  for (const [name, sha256] of Object.entries(filesBelow(path.join(dataDirectory, 'reports'))))
    if (!/manifest\.json$|\.xlsx$/.test(name)) left.push(`${name}: ${sha256}`);
  return left;
}

/**
 * Who was there, when, numbers of transactions, and the hashes of the audit log, which have times in them; and the
 * offered downloads, for which `expectNothingLeft` has a rule.
 */
const volatileTables = ['workers', 'audit_head', 'file_downloads'];
const volatileColumns = [
  ...['received_at', 'started_at', 'heartbeat_at', 'finished_at', 'happened_at', 'stages'],
  ...['hash', 'previous_hash', 'process_id', 'oldest_transaction', 'own_transaction'],
];

/** The hash of the configuration has the name of the folder in it. */
const withoutFolder = (row: string, dataDirectory: string) =>
  row.replaceAll(dataDirectory, 'DATA').replace(/(\\"hash\\":\\")[0-9a-f]{64}/g, '$1');

const hashOf = (lines: readonly string[]) =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);

function count({ counts }: Scene, what: string, added: number): void {
  counts.set(what, (counts.get(what) ?? 0) + added);
}

function countRound(
  scene: Scene,
  workers: number,
  answers: readonly ({ readonly stderr: string; readonly pauses: number } | null)[],
): void {
  const [, ...ended] = answers;
  const log = ended.map((answer) => answer?.stderr ?? '').join('\n');
  const matches = (pattern: RegExp) => [...log.matchAll(pattern)].length;
  count(scene, 'workers', workers);
  count(scene, 'files by workers', matches(/"msg":"file (?:loaded|rejected)"/g));
  count(scene, 'files fetched by workers', matches(/"msg":"file fetched"/g));
  count(scene, 'downloads lost', matches(/Somebody else has downloaded this file meanwhile/g));
  count(scene, 'claims lost', matches(/Somebody else loads this file now/g));
  count(scene, 'handed back', matches(/The file was handed back/g));
  count(
    scene,
    'pauses',
    answers.reduce((sum, answer) => sum + (answer?.pauses ?? 0), 0),
  );
  count(scene, 'workers ended at a fail point', ended.filter((answer) => answer === null).length);
}

/**
 * Files that share rows, so that their order decides whose a row is; some are large, one is damaged, one comes twice.
 */
function writeNight(
  folder: string,
  night: number,
  { port, hostKeyFingerprint }: { readonly port: number; readonly hostKeyFingerprint: string },
): void {
  const chance = chanceFrom(night);
  const cwd = path.join(folder, `night-${night}`);
  let content = '';
  for (let file = 0; file < 9; file += 1) {
    const first = file * 14;
    const rows = Array.from({ length: file % 4 === 3 ? 70 : chance.integer(12, 24) }, (_, at) =>
      row(first + at),
    );
    content = file === 5 ? content : fileOfRows(rows);
    if (file === 6) content = content.replace('Amount;', 'Amounts;');
    const name = path.join(cwd, 'a', `night-${file}.csv`);
    writeFileSync(name, content);
    utimesSync(name, 1_700_000_000, 1_700_000_000);
  }
  const sources = `sources:
  - { name: a, protocol: sftp, host: 127.0.0.1, port: ${port}, username: merchant, password: secret, folder: /,
      hostKeys: ['${hostKeyFingerprint}'], filePattern: '*.csv', downloadsAtOnce: ${chance.pick([2, 4])} }`;
  for (const files of [1, 2])
    writeFileSync(
      path.join(cwd, `${files}.yaml`),
      `intake: { filesAtOnce: ${files} }
worker: { filesAtOnce: ${files}, leaseSeconds: ${leaseMs / 1000}, graceSeconds: 0 }
largeFileBytes: 15000
${sources}
`,
      { mode: 0o600 },
    );
}

const row = (number: number) =>
  settlementRow({
    UniqueID: paymentId(number),
    SettlementTxId: `STL-${number}`,
    AccountNumberLast4: '',
    ...(number % 17 === 0 ? { Amount: 'much' } : {}),
    ...(number % 13 === 0 ? { Amount: '99.00' } : {}),
  });

/** Payments for most of the rows. */
async function paidTemplate(folder: string, threads: CommandThreads): Promise<string> {
  const database = await createTestDatabase();
  const file = path.join(folder, 'payments.csv');
  const numbers = Array.from({ length: 180 }, (_, at) => at).filter((number) => number % 5 !== 0);
  writeFileSync(file, paymentsFileOf(numbers.map((number) => paymentRow(number))));
  const environment = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: path.join(folder, 'data') };
  const args = ['payments', 'import', file];
  const imported = await threads.start({ args, cwd: folder, environment, pauses: [] }).ended;
  expect(imported?.code, imported?.stderr).toBe(0);
  await database.database.close();
  onTestFinished(async () => {
    await administer(`drop database if exists ${database.name} with (force)`);
  });
  return database.name;
}
