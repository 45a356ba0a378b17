import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Installation } from '../cli/installation.js';
import { row } from '../run/overlapping-files.js';
import { startCli } from '../support/cli.js';
import { repetitions, reportCounts } from '../support/campaign.js';
import { fileOfRows } from '../support/settlement-rows.js';
import { connectionsOfWorker } from '../../src/worker/worker-list.js';
import { nightForWorkers, runNight } from '../worker/worker-scene.js';

/** A worker lives for months. After its thousandth file it holds what it held after its first hundred. */
const filesOfRun = 50;
/** The last is the first of the next file, so files wait for each other. */
const rowsOfFile = 4;

test('a worker that loaded 1,000 files holds what it held after 200, and leaves nothing', async () => {
  const installation = await nightForWorkers(1);
  const { sql } = installation.database.database;
  const worker = startWatched(installation);
  while ((await sql`select from workers where process_id = ${worker.pid}`).count === 0) await sleep(50);
  const measured: Measured[] = [];
  const marks = [0.2, 0.6, 1].map((share) => repetitions(1000) * share);
  let firstRow = 1000;
  for (const mark of marks) {
    let sockets = 0;
    const before = { bytes: worker.log().length, files: worker.files() };
    while (worker.files() < mark) {
      for (let file = 0; file < filesOfRun; file += 1) {
        const content = fileOfRows(Array.from({ length: rowsOfFile }, (_, at) => row(firstRow + at)));
        installation.write(`a/small-${firstRow}.csv`, content);
        firstRow += rowsOfFile - 1;
      }
      const running = runNight(installation);
      const end = running.then(
        () => 'ended',
        () => 'ended',
      );
      while ((await Promise.race([end, sleep(50, 'runs')])) === 'runs') {
        sockets = Math.max(sockets, socketsOf(worker.pid));
      }
      const { code, stderr } = await running;
      expect(code, stderr).toBe(1);
      rmSync(path.join(installation.directory, 'a'), { recursive: true });
      expect(await sql`select place from file_claims`).toEqual([]);
    }
    // It looks every five seconds, and then leaves the last run.
    await sleep(7_000);
    measured.push(await measure(worker, installation, sockets, before));
  }
  const cpuBefore = worker.cpuMs();
  await sleep(20_000);
  const idleMs = worker.cpuMs() - cpuBefore;
  const [early, , late] = measured;
  if (early === undefined || late === undefined) throw new Error('nothing was measured');
  for (const each of measured) reportCounts('life of a worker', { ...each });
  reportCounts('an idle worker in 20 s', { 'ms of CPU': idleMs });
  worker.stop();
  expect(await worker.ended).toBe(143);
  expect((await sql`select from workers`).count).toBe(0);
  expect(late.handles).toBeLessThanOrEqual(early.handles + 1);
  // Those of its pool, and the one that listens.
  expect(late.sessions).toBeLessThanOrEqual(4 + 1);
  expect(late['sessions at most']).toBeLessThanOrEqual(connectionsOfWorker(1));
  expect(late['bytes of log per file']).toBeLessThan(early['bytes of log per file'] * 1.1);
  expect(late['MB of memory']).toBeLessThan(early['MB of memory'] * 1.25);
  expect(idleMs).toBeLessThan(400);
});

interface Measured {
  readonly files: number;
  readonly 'MB of memory': number;
  readonly handles: number;
  readonly sessions: number;
  readonly 'sessions at most': number;
  readonly 'bytes of log per file': number;
}

type Watched = ReturnType<typeof startWatched>;

/** A worker whose log can be read while it runs. */
function startWatched({ directory, environment }: Installation) {
  const child = startCli(['worker'], { env: environment, cwd: directory });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  child.stdout.resume();
  const pid = child.pid ?? -1;
  return {
    pid,
    log: () => log,
    files: () => log.match(/"msg":"file (?:loaded|rejected)"/g)?.length ?? 0,
    cpuMs: () => {
      const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
      const ticks = rest.split(' ').slice(11, 13).map(Number);
      return ticks.reduce((sum, each) => sum + each * 10, 0);
    },
    stop: () => child.kill('SIGTERM'),
    ended: new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code))),
  };
}

/** Connections to the database, and standard output and error. */
const socketsOf = (pid: number) => handlesOf(pid).filter((link) => link.startsWith('socket:')).length;

/** One may be closed between the two looks. */
const handlesOf = (pid: number) =>
  readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });

/** While no run is active, every session of recon is the worker's. */
async function measure(
  worker: Watched,
  { database }: Installation,
  sockets: number,
  before: { readonly bytes: number; readonly files: number },
): Promise<Measured> {
  const { pid } = worker;
  const sessions = await database.database.sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'recon'`;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = worker.log().length - before.bytes;
  return {
    files: worker.files(),
    'MB of memory': Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024),
    handles: handlesOf(pid).length,
    sessions: sessions.count,
    'sessions at most': sessions.count + Math.max(0, sockets - socketsOf(pid)),
    'bytes of log per file': Math.round(bytes / (worker.files() - before.files)),
  };
}
