import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { armFailPoint, failPoint, failPoints } from '../../src/fail-point.js';
import { runCli } from '../support/cli.js';
import { filesBelow } from '../support/settlement-night.js';
import { prepareScenes } from './prepared-scenes.js';
import { expectOutcome, expectRecovery, outcomeOf } from './scene.js';

/**
 * Crash anywhere, run again, same result: a run is killed for real (SIGKILL) at every fail point that the code has, and
 * the next run must end with the facts, findings and reports of an undisturbed one.
 */
const { baseline, withScene } = prepareScenes();

/**
 * A run passes these; `move.test.ts`, `purge.test.ts` and `deliver-reports.test.ts` beside this file, and
 * `shards.test.ts` and `divide.test.ts` in `test/shards`, walk the others.
 */
const walked = Object.keys(failPoints).filter(
  (name) => !/^(?:encrypt|move|shard|divide|purge|deliver|worker)\./.test(name),
);
/** Passed only when reports are written again over a folder that is there. */
const onReporting = 'publish.aside.after';

test('every listed fail point is in the code', () => {
  const source = path.resolve(import.meta.dirname, '../../src');
  const used = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(path.join(source, name), 'utf8').matchAll(/failPoint\('([^']+)'\)/g)])
    .map((match) => match[1]);
  expect([...new Set(used)].sort()).toEqual(Object.keys(failPoints).sort());
  expect(walked.length).toBeGreaterThan(40);
});

test('the baseline run passes every kind of step', () => {
  expect(baseline().facts).toMatchObject({
    files: [{ status: 'loaded', rows_already_known: 60 }, { status: 'loaded' }, { status: 'loaded' }],
    folders: [{ length: 2 }, [], { length: 1 }],
    running: [],
    incoming: [],
  });
  for (const facts of ['records', 'known', 'rejected', 'discrepancies', 'bookings', 'sightings'])
    expect(baseline().facts[facts], facts).not.toHaveLength(0);
  expect(Object.keys(baseline().reports).length).toBeGreaterThan(4);
});

describe.concurrent('F73 killed at', () => {
  test.each([
    ...walked.filter((name) => name !== onReporting),
    // In the middle of what comes more than once: the rows of a file, the files, the reports.
    'copy.row:60',
    'copy.row:200',
    'copy.row:300',
    'register.after:2',
    'load.before:3',
    // Both files of a source are copied, and neither is committed.
    'load.turn:2',
    'load.commit.before:2',
    'publish.file.before:3',
    'publish.file.after:4',
    'publish.file.after:6',
  ])('%s', async (point) => {
    await withScene(async (scene) => {
      expect((await scene.run({ failAt: point })).signal).toBe('SIGKILL');
      await expectRecovery(scene, baseline());
    });
  });

  test(`${onReporting}, when the reports are written again`, async () => {
    await withScene(async (scene) => {
      await scene.run();
      const report = ['report', '--run', '1'];
      expect((await scene.recon(report, { failAt: onReporting })).signal).toBe('SIGKILL');
      expect((await scene.recon(report)).code).toBe(0);
      await expectOutcome(scene, baseline());
    });
  });
});

test('the reconciled files are written before the matching is committed, under a temporary name', async () => {
  await withScene(async (scene) => {
    await scene.run({ failAt: 'match.commit.before' });
    const written = filesBelow(path.join(scene.directory, 'data/reports'));
    const reconciled = Object.keys(baseline().reports).filter((name) => name.includes('reconciled/'));
    expect(reconciled).not.toEqual([]);
    for (const name of reconciled)
      expect(written, name).toContainEqual(
        expect.stringMatching(`^\\..*tmp/reconciled/${path.basename(name)}$`),
      );
    expect(await scene.database.database.sql`select from record_matches`).toHaveLength(0);
    await expectRecovery(scene, baseline());
  });
});

describe.concurrent('F75 killed at two points in a row', () => {
  test.each([
    ['load.commit.after', 'match.before'],
    ['match.commit.after', 'publish.manifest.before'],
    ['publish.rename.after', 'leftovers.after'],
    ['archive.after', 'load.before:2'],
    ['dispose.after', 'match.commit.before'],
  ])('%s, then %s', async (first, second) => {
    await withScene(async (scene) => {
      expect((await scene.run({ failAt: first })).signal).toBe('SIGKILL');
      expect((await scene.run({ failAt: second })).signal).toBe('SIGKILL');
      await expectRecovery(scene, baseline());
    });
  });
});

test('F73 an encrypted archive recovers in the same way, and so does its encryption later', async () => {
  await withScene(async (scene) => {
    const text = readFileSync(path.join(scene.directory, 'recon.config.yaml'), 'utf8');
    writeFileSync(path.join(scene.directory, 'encrypted.yaml'), `archive: { encryptWith: k }\n${text}`);
    const keys = JSON.stringify({ k: 'a1'.repeat(32) });
    const env = { RECON_CONFIG: 'encrypted.yaml', RECON_ARCHIVE_KEYS: keys };
    // The first file is stored plain.
    expect((await scene.run({ failAt: 'archive.after' })).signal).toBe('SIGKILL');
    expect((await scene.run({ env, failAt: 'sync.after:2' })).signal).toBe('SIGKILL');
    expect((await scene.run({ env, failAt: 'archive.renamed:2' })).signal).toBe('SIGKILL');
    expect((await scene.run({ env })).code).toBe(1);
    // Another key for what is there.
    writeFileSync(path.join(scene.directory, 'encrypted.yaml'), `archive: { encryptWith: j }\n${text}`);
    const both = { ...env, RECON_ARCHIVE_KEYS: JSON.stringify({ j: 'b2'.repeat(32), k: 'a1'.repeat(32) }) };
    const encrypt = (failAt?: string) => scene.recon(['archive', 'encrypt'], { env: both, failAt });
    expect((await encrypt('encrypt.file:2')).signal).toBe('SIGKILL');
    expect(await encrypt()).toMatchObject({
      code: 0,
      stdout: '2 files encrypted with the key j; 1 had it before.\n',
    });
    const { facts, reports, leftOvers } = await outcomeOf(scene);
    expect({ ...facts, archive: null }).toEqual({ ...baseline().facts, archive: null });
    expect([reports, leftOvers]).toEqual([baseline().reports, []]);
    const files = (facts['archive'] as string[]).filter((name) => path.basename(name).length > 2);
    expect(files.map((name) => path.extname(name))).toEqual(['.encrypted', '.encrypted', '.encrypted']);
  });
});

test('F73 a second baseline run changes nothing', async () => {
  await withScene(async (scene) => {
    await scene.run();
    const before = await outcomeOf(scene);
    await scene.run();
    expect(await outcomeOf(scene)).toEqual(before);
  });
});

describe('arming', () => {
  test.each([
    ['no.such.point', /^RECON_FAIL_AT names no fail point: "no\.such\.point"\. There are: lock\.before, /],
    ['lock.before:0', /whole numbers, not "0"/],
    ['lock.before:1.5', /whole numbers, not "1\.5"/],
    ['lock.before:-1', /whole numbers, not "-1"/],
    ['lock.before:', /whole numbers, not ""/],
    ['lock.before:1:explode', /name:n:stop, not "lock\.before:1:explode"/],
    ['toString', /names no fail point/],
  ])('%s is refused', (specification, message) => {
    expect(() => armFailPoint(specification)).toThrow(message);
  });

  test('is refused on the command line with exit code 2', async () => {
    const refused = await runCli(['runs', '--json'], { env: { RECON_FAIL_AT: 'nowhere' } });
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'USAGE_INVALID' } });
  });

  test('an armed point that is not passed does nothing', () => {
    armFailPoint('close.after:9');
    failPoint('close.after');
    armFailPoint(undefined);
    failPoint('close.after');
  });
});
