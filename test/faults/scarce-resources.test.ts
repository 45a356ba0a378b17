import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { CliResult } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { prepareScenes } from './prepared-scenes.js';
import { expectRecovery } from './scene.js';
import { untilStopped } from './stopped-process.js';

/**
 * A process that has too little of something dies like a killed one, or reports what is missing; either way the
 * next run makes up for it.
 */
const { baseline, withScene } = prepareScenes();

describe('F78 too little memory', () => {
  // Where Node dies of it depends on its version: from the very beginning to not at all.
  test.each([14, 18, 21, 22, 23])('%i MiB of heap', async (megabytes) => {
    await withScene(async (scene) => {
      const limits = `--max-old-space-size=${megabytes} --max-semi-space-size=1`;
      const { code, signal, stderr } = await scene.run({ env: { NODE_OPTIONS: limits } });
      if (signal === null) expect(code, stderr).toBe(1);
      else expect(stderr).toContain('heap');
      await expectRecovery(scene, baseline());
    });
  });
});

const prlimit = needs.prlimit();

function expectTooFewFiles({ code, stdout, stderr }: CliResult): void {
  expect(code, stderr).toBe(6);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'DISK_FAILED', message: expect.stringMatching(/EMFILE/) as string },
  });
}

describe.runIf(prlimit.isMet)('F78 too few open files', prlimit.orSkipped, () => {
  // With 24, reporting the failure fails as well; with 28, Node calls a package missing now and then.
  test.each([24, 28, 40])('from the beginning: %i', async (limit) => {
    await withScene(async (scene) => {
      expectTooFewFiles(await scene.run({ through: ['prlimit', `--nofile=${limit}`], timeoutMs: 20_000 }));
      await expectRecovery(scene, baseline());
    });
  });

  test.each(['leftovers.after', 'list.after', 'register.after', 'load.before', 'publish.before'] as const)(
    'from %s on',
    async (point) => {
      await withScene(async (scene) => {
        const run = scene.start({ failAt: `${point}:1:stop` });
        await untilStopped(run);
        expect(spawnSync('prlimit', [`--pid=${run.pid}`, '--nofile=12:12']).status).toBe(0);
        run.kill('SIGCONT');
        const result = await run.ended;
        expectTooFewFiles(result);
        await expectRecovery(scene, baseline());
      });
    },
  );
});
