import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { failPoints } from '../../src/fail-point.js';
import { seenOf } from '../run/overlapping-files.js';
import { startCli, watchCli, type WatchedCli } from '../support/cli.js';
import { startSftpServer } from '../support/sftp-server.js';
import { chanceFrom, repetitions, reportCounts, seed, seeded, type Chance } from '../support/campaign.js';
import { nightAlone, nightForWorkers, runNight, startWorker, writeNight } from '../worker/worker-scene.js';
import { startWorkers } from '../worker/workers.js';

/** The steps between claiming a file, or its download, and its end. */
const points = Object.keys(failPoints).filter((name) =>
  /^(?:worker|download|sync|archive|register|load|copy|part|staging)\./.test(name),
);
const files = 14;

test(seeded('workers and runs that are killed, stopped and cut off at random'), async () => {
  const alone = { local: await nightAlone(files), sftp: await nightAlone(files, overSftp) };
  const counts: Counts = {
    rounds: 0,
    workers: 0,
    killed: 0,
    'killed runs': 0,
    'connections ended': 0,
    'files downloaded by workers': 0,
  };
  try {
    for (let index = 0; index < repetitions(40); index += 1) {
      const chance = chanceFrom(seed + index);
      await disturbedNight(chance, alone, counts).catch((thrown: unknown) => {
        throw new Error(`round ${index}, SEED=${seed + index}`, { cause: thrown });
      });
      counts.rounds += 1;
    }
  } finally {
    reportCounts('workers', counts);
  }
});

type Counts = Record<
  'rounds' | 'workers' | 'killed' | 'killed runs' | 'connections ended' | 'files downloaded by workers',
  number
>;

/** A server that runs and workers of all processes download from. */
async function overSftp(folder: string): Promise<string> {
  const server = await startSftpServer(folder);
  onTestFinished(() => server.close());
  return `protocol: sftp, host: 127.0.0.1, port: ${server.port}, username: merchant, password: secret,
      folder: /, hostKeys: ['${server.hostKeyFingerprint}']`;
}

/** One to three workers with a fail point each, and perhaps one for the run; then a run that nobody disturbs. */
async function disturbedNight(
  chance: Chance,
  nights: Readonly<Record<'local' | 'sftp', Awaited<ReturnType<typeof nightAlone>>>>,
  counts: Counts,
): Promise<void> {
  const isRemote = chance.fraction() < 0.5;
  const alone = isRemote ? nights.sftp : nights.local;
  const installation = await (isRemote ? nightForWorkers(files, overSftp) : nightForWorkers(files));
  const { directory, environment, database } = installation;
  const failAt = () => {
    const point = chance.pick(points);
    const passed = chance.integer(1, point === 'copy.row' ? 90 : 2);
    return `${point}:${passed}${chance.fraction() < 0.5 ? ':stop' : ''}`;
  };
  const workers: WatchedCli[] = [];
  for (let count = chance.integer(1, 3); count > 0; count -= 1) {
    const options = chance.fraction() < 0.8 ? { failAt: failAt() } : { clockHours: chance.pick([1, -1]) };
    workers.push(await startWorker(installation, { ...options, timeoutMs: 300_000 }));
  }
  counts.workers += workers.length;
  try {
    const isRunKilled = chance.fraction() < 0.3;
    const env = isRunKilled
      ? { ...environment, RECON_FAIL_AT: `${chance.pick(points)}:${chance.integer(1, 4)}` }
      : environment;
    const run = watchCli(startCli(['run', '--as-of', '2026-11-20'], { env, cwd: directory }), 120_000);
    if (chance.fraction() < 0.3) {
      await sleep(chance.integer(500, 3000));
      // Any connection of workers; the run loses none, because it would end.
      const ended = await database.database.sql`
        select pg_terminate_backend(l.pid) from pg_locks l
        where l.locktype = 'advisory' and l.objsubid = 2 and l.granted and exists (
          select from file_claims c where c.file_id = l.objid::bigint and c.owner not like 'run-%')`;
      counts['connections ended'] += ended.count;
    }
    const { code, signal, stderr } = await run.ended;
    if (signal === 'SIGKILL') counts['killed runs'] += 1;
    else expect(code, stderr).toBe(1);
    for (const worker of workers) worker.kill('SIGCONT');
    if (signal === 'SIGKILL') expect((await runNight(installation)).code).toBe(1);
    await sleep(200);
    const { files: stored, records, known, rejected } = await seenOf(installation);
    expect({ stored, records, known, rejected }).toEqual({
      stored: alone.files,
      records: alone.records,
      known: alone.known,
      rejected: alone.rejected,
    });
    if (signal !== 'SIGKILL') expect(await seenOf(installation)).toEqual(alone);
  } finally {
    for (const worker of workers) worker.kill('SIGTERM');
    for (const worker of workers) {
      const patience = setTimeout(() => worker.kill('SIGKILL'), 20_000);
      const { signal, stderr } = await worker.ended;
      clearTimeout(patience);
      if (signal === 'SIGKILL') counts.killed += 1;
      counts['files downloaded by workers'] += stderr.split('"msg":"file fetched"').length - 1;
      expect(stderr).not.toContain('"level":60');
    }
  }
}

test('after a thousand files a worker has the connections of its first, and waits at next to no cost', async () => {
  const installation = await nightForWorkers(4);
  const { sql } = installation.database.database;
  const workers = await startWorkers(installation, 1);
  onTestFinished(async () => {
    await workers.stop();
  });
  for (let run = 1; run <= repetitions(40); run += 1) {
    writeNight(installation, 25 * run, 25);
    await runNight(installation);
  }
  // It looks every five seconds, and then leaves the last run.
  await sleep(7_000);
  const connections = await sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'recon'`;
  // Those of its pool, and the one that listens.
  expect(connections.count).toBeLessThanOrEqual(4 + 1);
  const before = process.cpuUsage();
  await sleep(20_000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(400);
});
