import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Installation } from '../cli/installation.js';
import { recon } from '../cli/recon.js';
import { row, seenOf } from '../run/overlapping-files.js';
import { untilStopped } from '../faults/stopped-process.js';
import { startCli, watchCli } from '../support/cli.js';
import { holdWrites } from '../support/held-writes.js';
import { fileOfRows } from '../support/settlement-rows.js';
import { folderForThisTest } from '../support/test-folder.js';
import {
  delayedFirstFile,
  nightAlone,
  nightForWorkers,
  runNight,
  startWorker,
  storedBesideWorker,
  writeNight,
} from './worker-scene.js';
import { startWorkers } from './workers.js';

/** Whatever happens to the workers of a run, each file is loaded once, and the results are those of a run alone. */

test('a worker is killed, one stands still beyond its lease and wakes up, clocks are an hour ahead and an hour behind', async () => {
  const installation = await nightForWorkers();
  const workers = await Promise.all([
    startWorker(installation, { failAt: 'load.commit.before:1' }),
    startWorker(installation, { failAt: 'copy.after:1:stop', clockHours: -1 }),
    startWorker(installation, { clockHours: 1 }),
  ]);
  const [killed, stopped, wrong] = workers;
  onTestFinished(() => workers.forEach((worker) => worker.kill('SIGKILL')));
  const ended = await runNight(installation);
  expect(ended.code, ended.stderr).toBe(1);
  expect((await killed.ended).signal).toBe('SIGKILL');
  await untilStopped(stopped);

  const alone = await nightAlone();
  expect(await seenOf(installation)).toEqual(alone);
  stopped.kill('SIGCONT');
  await sleep(300);
  for (const worker of [stopped, wrong]) worker.kill('SIGTERM');
  const [late, punctual] = await Promise.all([stopped.ended, wrong.ended]);
  expect([late.code, punctual.code]).toEqual([143, 143]);
  expect(late.stderr).toContain('Somebody else loads this file now');
  expect(punctual.stderr).toContain('file loaded');
  expect(await seenOf(installation)).toEqual(alone);
}, 60_000);

test('a run that is killed leaves nothing to its workers that the next run does not finish', async () => {
  const installation = await nightForWorkers();
  const { directory, environment } = installation;
  const worker = await startWorker(installation);
  onTestFinished(() => worker.kill('SIGKILL'));
  const env = { ...environment, RECON_FAIL_AT: 'load.commit.after:3' };
  const killed = watchCli(startCli(['run', '--as-of', '2026-11-20'], { env, cwd: directory }));
  expect((await killed.ended).signal).toBe('SIGKILL');
  expect((await runNight(installation)).code).toBe(1);
  worker.kill('SIGTERM');
  expect((await worker.ended).code).toBe(143);
  const withoutRuns = ({ files, records, known, rejected }: Awaited<ReturnType<typeof seenOf>>) => ({
    files,
    records,
    known,
    rejected,
  });
  expect(withoutRuns(await seenOf(installation))).toEqual(withoutRuns(await nightAlone()));
}, 60_000);

test('a worker of another version joins no run, and says why', async () => {
  const installation = await nightForWorkers(3);
  const { directory, environment } = installation;
  const root = path.resolve(import.meta.dirname, '../..');
  const other = folderForThisTest();
  cpSync(path.join(root, 'dist'), path.join(other, 'dist'), { recursive: true });
  for (const name of ['node_modules', 'drizzle']) symlinkSync(path.join(root, name), path.join(other, name));
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as object;
  writeFileSync(path.join(other, 'package.json'), JSON.stringify({ ...manifest, version: '0.0.9' }));
  const program = path.join(other, 'dist/cli/main.js');
  const worker = watchCli(startCli(['worker'], { env: environment, cwd: directory, program }));
  onTestFinished(() => worker.kill('SIGKILL'));
  const { sql } = installation.database.database;
  while ((await sql`select from workers where version = '0.0.9'`).length === 0) await sleep(20);
  expect((await runNight(installation)).code).toBe(1);
  // Wakes it while that run seems to be active.
  await sql`update runs set status = 'running', heartbeat_at = now() where id = 1`;
  await sql`update workers set started_at = now()`;
  await sql`select pg_notify('recon_files', '')`;
  while ((await sql`select from workers where seen_at > started_at`).length === 0) await sleep(20);
  worker.kill('SIGTERM');
  const { stderr } = await worker.ended;
  expect(stderr).toMatch(
    /This worker has version 0\.0\.9 and does not join run 1, which has version 0\.1\.0/,
  );
  expect(stderr).not.toContain('file loaded');
}, 60_000);

/** Puts other bytes into an archive, under the SHA-256 of each file of the night. */
function archiveOtherBytes(installation: Installation): void {
  const folder = path.join(installation.directory, 'a');
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(path.join(folder, name));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    installation.write(`other/archive/${sha256.slice(0, 2)}/${sha256}`, fileOfRows([row(9_000)]));
  }
}

test.each([
  ['without the archive of the run', () => undefined],
  ['whose archive has other bytes', archiveOtherBytes],
])('a worker %s hands every file back, with the reason', async (_what, prepare) => {
  const installation = await nightForWorkers(8);
  const { directory, environment, database } = installation;
  prepare(installation);
  const stop = new AbortController();
  const worker = recon(['worker'], {
    cwd: directory,
    environment: { ...environment, RECON_DATA_DIR: path.join(directory, 'other') },
    signal: stop.signal,
  });
  while ((await database.database.sql`select from workers`).length === 0) await sleep(20);
  expect((await runNight(installation)).code).toBe(1);
  stop.abort();
  const { stderr } = await worker;
  expect(stderr).toMatch(/"code":"ARCHIVE_NOT_SHARED".*night-\d\d\.csv is not in the archive of this worker/);
  expect(stderr).not.toContain('file loaded');
  // It gets none of them again.
  const handedBack = [...stderr.matchAll(/"file":"([^"]+)".*The file was handed back/g)].map(
    ([, name]) => name,
  );
  expect([...new Set(handedBack)]).toEqual(handedBack);
  expect(await seenOf(installation)).toEqual(await nightAlone(8));
});

test('a worker that starts removes those that were killed more than a day ago', async () => {
  const installation = await nightForWorkers(1);
  const { sql } = installation.database.database;
  await sql`insert into workers (id, host, process_id, version, files_at_once, started_at, seen_at)
    values ('killed', 'test', 1, '0.1.0', 1, now() - interval '3 days', now() - interval '25 hours')`;
  const workers = await startWorkers(installation, 1);
  while ((await sql`select from workers where id = 'killed'`).length > 0) await sleep(20);
  await workers.stop();
});

test('a worker that stands still while it claims a file holds up the run for no longer than its lease', async () => {
  const installation = await nightForWorkers(6);
  const { sql } = installation.database.database;
  // It offers files to this worker, which takes none of them.
  await sql`insert into workers (id, host, process_id, version, files_at_once, started_at, seen_at)
    select 'still', 'test', 1, '0.1.0', 1, now(), now()`;
  await sql.unsafe(delayedFirstFile(2));
  const still = new pg.Client({ connectionString: installation.database.url });
  const isEnded = new Promise<void>((resolve) => still.on('error', () => resolve()));
  await still.connect();
  const running = runNight(installation);
  while ((await sql`select from file_claims where place = 3`).length === 0) await sleep(5);
  await still.query('begin');
  await still.query("select set_config('recon.fence', (select token::text from run_fence), true)");
  await still.query("update file_claims set owner = 'still' where place = 3 and owner is null");
  const { code, stderr } = await running;
  expect(code, stderr).toBe(1);
  await isEnded;
  expect(await seenOf(installation)).toEqual(await nightAlone(6));
});

test('a worker that is stopped hands its file back at once', async () => {
  const installation = await nightForWorkers(3);
  const { sql } = installation.database.database;
  // The others, which share rows with it, wait for it.
  await sql.unsafe(delayedFirstFile(2));
  const workers = await startWorkers(installation, 1);
  const running = runNight(installation);
  const inProgress = () => sql`select from file_claims where owner not like 'run-%'`;
  while ((await inProgress()).length === 0) await sleep(20);
  const [stopped] = await workers.stop();
  expect(stopped?.stderr).toContain('The file was handed back.');
  expect(await inProgress()).toHaveLength(0);
  expect((await running).code).toBe(1);
  expect(await seenOf(installation)).toEqual(await nightAlone(3));
});

test('a worker that loads a file for longer than its lease is still seen, and keeps the file', async () => {
  const installation = await nightForWorkers(3);
  const { sql } = installation.database.database;
  const workers = await startWorkers(installation, 1);
  // The first two files store a record of this line, and the worker loads one file at once.
  const held = await holdWrites(installation.database.url, 'settlement_records', 4);
  const running = runNight(installation);
  const owned = () => sql`
    select count(*)::integer as files from workers w join file_claims c on c.owner = w.id where c.finished_at is null
    group by w.seen_at
    having bool_and(c.attempt = 1) and w.seen_at > min(c.claimed_at) + 2 * make_interval(secs => min(c.lease_seconds))
      and bool_and(c.lease_until > c.claimed_at + make_interval(secs => c.lease_seconds))`;
  try {
    await expect.poll(owned, { timeout: 20_000 }).toEqual([{ files: 1 }]);
  } finally {
    await held.release();
  }
  expect((await running).code).toBe(1);
  const [ended] = await workers.stop();
  expect(ended?.stderr).toContain('"msg":"file loaded"');
  expect(await seenOf(installation)).toEqual(await nightAlone(3));
});

test('a worker that stays loads files of the next run too', async () => {
  const installation = await nightForWorkers(2);
  await installation.database.database.sql.unsafe(storedBesideWorker('night-00.csv', 'night-04.csv'));
  const workers = await startWorkers(installation, 1);
  expect((await runNight(installation)).code).toBe(1);
  writeNight(installation, 4, 2);
  expect((await runNight(installation)).code).toBe(1);
  const [ended] = await workers.stop();
  const runs = [...(ended?.stderr ?? '').matchAll(/"runId":(\d+),.*"msg":"file loaded"/g)].map(
    ([, run]) => run,
  );
  expect([...new Set(runs)]).toEqual(['1', '2']);
});

test('a worker needs a PostgreSQL server', async () => {
  const directory = folderForThisTest();
  const { code, stderr } = await recon(['worker'], { cwd: directory });
  expect(code).toBe(2);
  expect(stderr).toContain('A worker needs the PostgreSQL server of the runs that it joins');
});
