import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesBelow, type Installation } from '../cli/installation.js';
import { row, seenOf } from '../run/overlapping-files.js';
import { startCli, watchCli } from '../support/cli.js';
import { fileOfRows } from '../support/settlement-rows.js';
import { nightForWorkers, runNight, startWorker } from './worker-scene.js';

/**
 * A worker is killed while it loads one large file, which is one transaction. Whoever loads the file afterwards, and
 * however often its days are run again, the reports have the bytes of an undisturbed run.
 */

const rowsOfLargeFile = 3000;

/** The file before the large one is not committed before a worker has claimed the large one. */
async function largeNight(waitsForWorker = true): Promise<Installation> {
  const installation = await nightForWorkers(0);
  const rowsFrom = (first: number, count: number) =>
    fileOfRows(Array.from({ length: count }, (_, at) => row(first + at)));
  installation.write('a/1-small.csv', rowsFrom(0, 40));
  // It has rows of the small file, so what is new in it depends on the order.
  installation.write('a/2-large.csv', rowsFrom(20, rowsOfLargeFile));
  if (waitsForWorker)
    await installation.database.database.sql.unsafe(`
      create function await_worker() returns trigger language plpgsql as $$
      begin
        while new.status = 'loaded' and new.name = '1-small.csv'
          and not exists (select from file_claims where place = 2 and owner not like 'run-%') loop
          perform pg_sleep(0.01);
        end loop;
        return new;
      end $$;
      create trigger await_worker before update on settlement_files for each row execute function await_worker()`);
  return installation;
}

async function rerun(installation: Installation): Promise<void> {
  const { code, stderr } = await installation.recon(
    ...['rerun', '--from', '2026-11-01', '--to', '2026-11-30', '--as-of', '2026-11-20'],
  );
  expect(code, stderr).toBe(0);
}

let undisturbed: Awaited<ReturnType<typeof seenOf>>;
let sheetsUndisturbed: Record<string, string>;

test('a run alone, for comparison', async () => {
  const installation = await largeNight(false);
  expect((await runNight(installation)).code).toBe(1);
  sheetsUndisturbed = sheetsOf(installation, 1);
  await rerun(installation);
  undisturbed = await seenOf(installation);
}, 180_000);

test.each([
  'worker.claimed',
  `copy.row:${rowsOfLargeFile / 2}`,
  'copy.after',
  'staging.copied',
  'part.filled',
  'part.added',
  'staging.after',
  'load.commit.before',
  'worker.loaded',
])(
  'killed at %s, and the same run loads the file',
  async (failAt) => {
    const installation = await largeNight();
    const worker = await startWorker(installation, { failAt });
    onTestFinished(() => worker.kill('SIGKILL'));
    const { code, stderr } = await runNight(installation);
    expect((await worker.ended).signal).toBe('SIGKILL');
    expect(code, stderr).toBe(1);
    await rerun(installation);
    expect(await seenOf(installation)).toEqual(undisturbed);
  },
  180_000,
);

test.each([`copy.row:${rowsOfLargeFile / 2}`, 'part.added', 'load.commit.before'])(
  'killed at %s together with its run, and another worker helps the next run',
  async (failAt) => {
    const installation = await largeNight();
    const { directory, environment } = installation;
    // The run must be killed before it takes the file of the killed worker.
    const config = path.join(directory, 'recon.config.yaml');
    installation.write(
      'recon.config.yaml',
      readFileSync(config, 'utf8').replace('leaseSeconds: 1,', 'leaseSeconds: 20,'),
    );
    const worker = await startWorker(installation, { failAt });
    const run = watchCli(startCli(['run', '--as-of', '2026-11-20'], { env: environment, cwd: directory }));
    onTestFinished(() => [worker, run].forEach((each) => each.kill('SIGKILL')));
    expect((await worker.ended).signal).toBe('SIGKILL');
    run.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');
    await installation.database.database.sql.unsafe('drop trigger await_worker on settlement_files');
    const other = await startWorker(installation);
    onTestFinished(() => other.kill('SIGKILL'));
    const { code, stderr } = await runNight(installation);
    expect(code, stderr).toBe(1);
    other.kill('SIGTERM');
    expect((await other.ended).code).toBe(143);
    expect(sheetsOf(installation, 2)).toEqual(sheetsUndisturbed);
  },
  180_000,
);

/** Message and FirstSeenRun of a discrepancy. */
const firstSeen = (runId: number) => `.";${runId};`;

/** The sheets of a run, without its number. */
function sheetsOf({ dataDirectory }: Installation, runId: number): Record<string, string> {
  const folder = path.join(dataDirectory, 'reports', `run-00000${runId}`);
  const names = Object.keys(filesBelow(folder)).filter((name) => name.endsWith('.csv'));
  expect(names.length).toBeGreaterThan(6);
  return Object.fromEntries(
    names.map((name) => [
      name,
      readFileSync(path.join(folder, name), 'utf8').replaceAll(firstSeen(runId), '.";RUN;'),
    ]),
  );
}
