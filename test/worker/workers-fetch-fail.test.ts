import { expect, onTestFinished, test } from 'vitest';
import { untilStopped } from '../faults/stopped-process.js';
import { leftBy, nightOverSftp } from './remote-night.js';
import { startWorker } from './worker-scene.js';

test('a worker is killed during a download and another stands still: the files are fetched by others, and no part is left', async () => {
  const alone = await nightOverSftp({ downloadsAtOnce: 1 });
  expect((await alone.recon('run', '--as-of', '2026-11-20')).code).toBe(1);
  const installation = await nightOverSftp();
  const workers = await Promise.all([
    startWorker(installation, { failAt: 'download.first-byte:2', clockHours: 1 }),
    startWorker(installation, { failAt: 'worker.fetched:1:stop', clockHours: -1 }),
  ]);
  const [killed, stopped] = workers;
  onTestFinished(() => workers.forEach((worker) => worker.kill('SIGKILL')));
  const { code, stderr } = await installation.recon('run', '--as-of', '2026-11-20');
  expect(code, stderr).toBe(1);
  expect((await killed.ended).signal).toBe('SIGKILL');
  await untilStopped(stopped);
  const expected = await leftBy(alone);
  expect(await leftBy(installation)).toEqual(expected);
  stopped.kill('SIGCONT');
  stopped.kill('SIGTERM');
  expect((await stopped.ended).code).toBe(143);
  expect(await leftBy(installation)).toEqual(expected);
}, 60_000);
