import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, type CliResult } from '../support/cli.js';
import { createTestDatabase } from '../support/database.js';
import { all, needs } from '../support/needs.js';
import { folderForThisTest } from '../support/test-folder.js';
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

const [prlimit, namespaces, root] = [needs.prlimit(), needs.namespaces(), needs.root()];

function expectTooFewFiles({ code, stdout, stderr }: CliResult): void {
  expect(code, stderr).toBe(6);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'LIMIT_REACHED', message: expect.stringMatching(/EMFILE/) as string },
  });
}

describe.runIf(prlimit.isMet)('F78 too few open files', prlimit.orSkipped, () => {
  // With 20, not even the first modules can be loaded; with 26, those of the command cannot.
  test.each([20, 22, 26])('from the beginning: %i', async (limit) => {
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

test.runIf(prlimit.isMet)('too few addresses for the SSH library', prlimit.orSkipped, async () => {
  const [database, cwd] = [await createTestDatabase(), folderForThisTest()];
  const login = `port: 1, username: u, password: p, hostKeys: ['SHA256:${'A'.repeat(43)}'], folder: /`;
  const config = `sources: [{ name: bank, protocol: sftp, host: 127.0.0.1, ${login} }]\n`;
  writeFileSync(path.join(cwd, 'recon.config.yaml'), config, { mode: 0o600 });
  const { code, stdout, stderr } = await runCli(['run', '--json'], {
    cwd,
    env: { RECON_DATABASE_URL: database.url },
    through: ['prlimit', `--as=${4 * 2 ** 30}`],
  });
  await database.drop();
  // Since version 24, Node.js needs fewer addresses. Then only the source is unreachable.
  expect([4, 6], stderr).toContain(code);
  if (code === 6) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'LIMIT_REACHED' } });
});

test.runIf(namespaces.isMet)('too little shared memory', namespaces.orSkipped, async () => {
  const cwd = folderForThisTest();
  const small = 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"';
  const { code, stdout, stderr } = await runCli(['migrate', '--json'], {
    cwd,
    through: ['unshare', '-m', 'sh', '-c', small, 'sh'],
  });
  expect(code, stderr).toBe(5);
  // Not DATABASE_FULL, which advises to free space on the disk.
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: 'DATABASE_EMBEDDED',
      message: expect.stringContaining('shared memory segment') as string,
    },
  });
});

// Root itself has no such limit, but the account of its server has.
const limitedServer = all(root, prlimit);

test.runIf(limitedServer.isMet)('too few processes', limitedServer.orSkipped, async () => {
  const cwd = folderForThisTest();
  for (const processes of [6, 8]) {
    const through = ['prlimit', `--nproc=${processes}`];
    const { code, stdout, stderr } = await runCli(['migrate', '--json'], { cwd, through });
    expect(code, stderr).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'DATABASE_EMBEDDED', message: expect.stringMatching(/limit of processes/) as string },
    });
  }
  expect((await runCli(['migrate', '--json'], { cwd })).code).toBe(0);
});
