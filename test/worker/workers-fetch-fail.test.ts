import { expect, onTestFinished, test } from 'vitest';
import { untilStopped } from '../faults/stopped-process.js';
import { startCli, watchCli } from '../support/cli.js';
import { leftBy, nightOverSftp } from './remote-night.js';
import { startWorker } from './worker-scene.js';

test('a worker is killed during a download and another stands still: the files are fetched by others, and no part is left', async () => {
  const alone = await nightOverSftp({ downloadsAtOnce: 1 });
  expect((await alone.recon('run', '--as-of', '2026-11-20')).code).toBe(1);
  const installation = await nightOverSftp();
  const workers = await Promise.all([
    startWorker(installation, { failAt: 'download.first-byte:1', clockHours: 1 }),
    startWorker(installation, { failAt: 'worker.fetched:1:stop', clockHours: -1 }),
  ]);
  const [killed, stopped] = workers;
  // It goes on once both have taken files.
  const env = { ...installation.environment, RECON_FAIL_AT: 'download.first-byte:2:stop' };
  const run = watchCli(startCli(['run', '--as-of', '2026-11-20'], { env, cwd: installation.directory }));
  onTestFinished(() => [run, ...workers].forEach((each) => each.kill('SIGKILL')));
  await untilStopped(run);
  expect((await killed.ended).signal).toBe('SIGKILL');
  await untilStopped(stopped);
  run.kill('SIGCONT');
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(1);
  const expected = await leftBy(alone);
  expect(await leftBy(installation)).toEqual(expected);
  stopped.kill('SIGCONT');
  stopped.kill('SIGTERM');
  expect((await stopped.ended).code).toBe(143);
  expect(await leftBy(installation)).toEqual(expected);
}, 60_000);

test('downloads that a worker is changing when the run ends stay, and the next run with a worker withdraws them', async () => {
  const alone = await nightOverSftp({ downloadsAtOnce: 1 });
  expect((await alone.recon('run', '--as-of', '2026-11-20')).code).toBe(1);
  const installation = await nightOverSftp();
  const { sql } = installation.database.database;
  const stopped = await startWorker(installation, { failAt: 'worker.fetched:1:stop' });
  onTestFinished(() => stopped.kill('SIGKILL'));
  const run = installation.recon('run', '--as-of', '2026-11-20');
  await untilStopped(stopped);
  // What a worker does that is suspended in the middle of a transaction.
  const worker = await sql.reserve();
  await worker`begin`;
  const held = await worker`select place from file_downloads where owner not like 'run-%' for update`;
  expect(held.count).toBeGreaterThan(0);
  const { code, stderr } = await run;
  expect(code, stderr).toBe(1);
  await worker`rollback`;
  worker.release();
  const expected = await leftBy(alone);
  expect(await leftBy(installation)).toEqual({ ...expected, downloads: [...held] });
  stopped.kill('SIGCONT');
  stopped.kill('SIGTERM');
  await stopped.ended;
  const next = await startWorker(installation);
  onTestFinished(() => next.kill('SIGKILL'));
  await installation.recon('run', '--as-of', '2026-11-20');
  expect(await sql`select place from file_downloads`).toEqual([]);
}, 60_000);
