import { expect, onTestFinished, test } from 'vitest';
import { untilStopped } from '../faults/stopped-process.js';
import { startCli, watchCli } from '../support/cli.js';
import { leftBy, nightOverSftp } from './remote-night.js';
import { startWorker } from './worker-scene.js';

test('a worker that starts while a source is being fetched downloads the files that are left', async () => {
  const alone = await nightOverSftp({ downloadsAtOnce: 1 });
  expect((await alone.recon('run', '--as-of', '2026-11-20')).code).toBe(1);
  const installation = await nightOverSftp({ downloadsAtOnce: 2 });
  const { directory, environment } = installation;
  const env = { ...environment, RECON_FAIL_AT: 'download.first-byte:3:stop' };
  const run = watchCli(startCli(['run', '--as-of', '2026-11-20'], { env, cwd: directory }));
  onTestFinished(() => run.kill('SIGKILL'));
  await untilStopped(run);
  const worker = await startWorker(installation);
  onTestFinished(() => worker.kill('SIGKILL'));
  run.kill('SIGCONT');
  const { code, stderr } = await run.ended;
  expect(code, stderr).toBe(1);
  worker.kill('SIGTERM');
  expect((await worker.ended).stderr).toContain('"msg":"file fetched"');
  expect(await leftBy(installation)).toEqual(await leftBy(alone));
}, 60_000);
