import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { itemsForThread } from '../../src/reporting/workbook/begin-workbook.js';
import { StagedFolder, recoverReports } from '../../src/reporting/folder/report-folder.js';
import { verifyReports } from '../../src/reporting/folder/verify-reports.js';
import { compiledChild } from '../support/compiled-child.js';
import { needs } from '../support/needs.js';
import { facts, first, second } from './night.js';
import { createWorld, folderContent, type World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
  world.archive(first);
  world.archive(second);
  await world.store(facts);
});

afterEach(() => world.end());

const publishChild = compiledChild(path.join(import.meta.dirname, 'publish-child.ts'));

/** Publishes in a separate process and returns its exit code or signal. */
async function publishElsewhere(
  environment: Record<string, string>,
  expectedItems = 0,
): Promise<string | number | null> {
  const child = spawn(process.execPath, [publishChild, world.url, world.directory, `${expectedItems}`], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
}

const published = () => readdirSync(world.reports).filter((name) => !name.startsWith('.'));

describe('F102 killed while publishing', () => {
  // Each of the five files is a boundary: when it is begun, and when it is on the disk.
  const points = [
    'publish.before',
    'publish.file.before:1',
    'publish.file.before:3',
    ...[1, 2, 3, 4, 5].map((n) => `publish.file.after:${n}`),
    'publish.manifest.before',
    'publish.manifest.after',
    'publish.rename.before',
  ];

  test('at every boundary of a first publication: whole or not there, and the next one cleans up', async () => {
    for (const point of points) {
      expect(await publishElsewhere({ RECON_FAIL_AT: point }), point).toBe('SIGKILL');
      if (point !== 'publish.before') expect(published(), point).toEqual([]);
    }
    expect(await publishElsewhere({ RECON_FAIL_AT: 'publish.rename.after' })).toBe('SIGKILL');
    expect(await verifyReports(world.reports)).toEqual([{ folder: 'run-000001', ok: true, problems: [] }]);
    await world.publish();
    expect(readdirSync(world.reports)).toEqual(['run-000001']);
  }, 180_000);

  test('while reports are written again: the old folder or the new one, never a mixture', async () => {
    const before = folderContent((await world.publish()).directory);
    await world.transact(
      (tx) => tx`update discrepancies set message = 'Another.' where code = 'NOT_MATCHED'`,
    );
    for (const point of [...points.slice(-3), 'publish.aside.after', 'publish.rename.after']) {
      expect(await publishElsewhere({ RECON_FAIL_AT: point }), point).toBe('SIGKILL');
      if (point === 'publish.aside.after') expect(published()).toEqual([]);
      await recoverReports(world.reports);
      expect(readdirSync(world.reports), point).toEqual(['run-000001']);
      const content = folderContent(path.join(world.reports, 'run-000001'));
      if (point !== 'publish.rename.after') expect(content, point).toEqual(before);
      else expect(content['discrepancies.csv']).toContain('Another.');
      expect(await verifyReports(world.reports), point).toEqual([
        { folder: 'run-000001', ok: true, problems: [] },
      ]);
    }
  }, 180_000);

  test('while another thread writes the workbook: as without it', async () => {
    const workbookOf = (directory: string) => folderContent(directory)['open-items.xlsx'];
    const directory = path.join(world.reports, 'run-000001');
    await world.publish();
    const expected = workbookOf(directory);
    rmSync(directory, { recursive: true });
    for (const point of ['publish.file.before:4', 'publish.file.after:2', 'publish.manifest.before']) {
      expect(await publishElsewhere({ RECON_FAIL_AT: point }, itemsForThread), point).toBe('SIGKILL');
      expect(published(), point).toEqual([]);
    }
    expect(await publishElsewhere({}, itemsForThread)).toBe(0);
    expect(workbookOf(directory)).toEqual(expected);
    expect(readdirSync(world.reports)).toEqual(['run-000001']);
  }, 180_000);

  test('what a living process is using is left alone, and so is what another machine left lately', async () => {
    await recoverReports(world.reports);
    const staged = await StagedFolder.create(world.reports, 'run-000002');
    const foreign = '.run-000003.00000000-4194000-0123456789ab.tmp';
    mkdirSync(path.join(world.reports, foreign));
    await recoverReports(world.reports);
    expect(readdirSync(world.reports).length).toBe(2);
    utimesSync(path.join(world.reports, foreign), 0, 0);
    await recoverReports(world.reports);
    expect(readdirSync(world.reports).length).toBe(1);
    await staged.discard();
    expect(readdirSync(world.reports)).toEqual([]);
  });

  test('two at once leave one whole folder', async () => {
    await Promise.all([world.publish(), world.publish(), world.publish()]);
    expect(readdirSync(world.reports)).toEqual(['run-000001']);
    expect(await verifyReports(world.reports)).toEqual([{ folder: 'run-000001', ok: true, problems: [] }]);
  });
});

describe('F98 zone and language', () => {
  test('change no byte', async () => {
    const expected = folderContent((await world.publish()).directory);
    for (const [TZ, LANG] of [
      ['UTC', 'C'],
      ['America/New_York', 'en_US.UTF-8'],
      ['Asia/Kolkata', 'hi_IN.UTF-8'],
      ['Europe/Berlin', 'de_DE.UTF-8'],
      ['Pacific/Kiritimati', 'tr_TR.UTF-8'],
      ['Pacific/Pago_Pago', 'ja_JP.eucJP'],
    ] as const) {
      rmSync(path.join(world.reports, 'run-000001'), { recursive: true });
      expect(await publishElsewhere({ TZ, LANG, LC_ALL: LANG, PGTZ: TZ })).toBe(0);
      expect(folderContent(path.join(world.reports, 'run-000001')), TZ).toEqual(expected);
    }
  }, 180_000);
});

describe('F88 F103 a disk that refuses', () => {
  const reason = () =>
    world.publish().then(
      () => undefined,
      (error: unknown) => error,
    );

  test('a file stands where the reports folder should be', async () => {
    writeFileSync(world.reports, '');
    expect(await reason()).toMatchObject({ code: 'DISK_FAILED' });
  });

  test('a file stands where the report should be', async () => {
    mkdirSync(world.reports);
    writeFileSync(path.join(world.reports, 'run-000001'), 'precious');
    await world.publish();
    expect(published()).toEqual(['run-000001']);
    expect(await verifyReports(world.reports)).toMatchObject([{ ok: true }]);
  });

  test('the new folder cannot take the place of the former one, which then stays', async () => {
    const before = folderContent((await world.publish()).directory);
    const staged = await StagedFolder.create(world.reports, 'run-000001');
    await staged.seal({});
    // The former folder is out of the way when the second rename finds nothing to rename.
    for (const name of readdirSync(world.reports))
      if (name.endsWith('.tmp')) rmSync(path.join(world.reports, name), { recursive: true });
    await expect(staged.publish()).rejects.toMatchObject({ code: 'DISK_FAILED' });
    await staged.discard();
    expect(readdirSync(world.reports)).toEqual(['run-000001']);
    expect(folderContent(path.join(world.reports, 'run-000001'))).toEqual(before);
  });

  const tmpfs = needs.tmpfs();
  describe.runIf(tmpfs.isMet)('a separate disk', tmpfs.orSkipped, () => {
    const mount = (options: string) => {
      mkdirSync(world.reports, { recursive: true });
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', world.reports]).status).toBe(0);
    };

    afterEach(() => {
      spawnSync('umount', [world.reports]);
    });

    test.each([8, 16, 20, 24, 28])(
      'that is full at %i KiB publishes nothing and keeps what was there',
      async (size) => {
        mount(`size=${size}k`);
        const thrown = await reason();
        if (thrown === undefined) {
          expect(await verifyReports(world.reports)).toMatchObject([{ ok: true }]);
          // Written again it needs room for both at once.
          const again = await reason();
          if (again !== undefined) expect(again).toMatchObject({ code: 'DISK_FULL' });
          expect(await verifyReports(world.reports)).toMatchObject([{ ok: true }]);
          return;
        }
        expect(thrown).toMatchObject({ code: 'DISK_FULL' });
        expect(readdirSync(world.reports)).toEqual([]);
      },
    );

    test('that may only be read', async () => {
      mount('ro');
      expect(await reason()).toMatchObject({
        code: 'DISK_FAILED',
        message: expect.stringContaining('EROFS') as string,
      });
    });
  });
});
