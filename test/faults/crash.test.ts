import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { armFailPoint, failPoint, failPoints } from '../../src/fail-point.js';
import { runCli } from '../support/cli.js';
import { prepareScenes } from './prepared-scenes.js';
import { expectOutcome, expectRecovery, outcomeOf } from './scene.js';

/**
 * Crash anywhere, run again, same result: a run is killed for real (SIGKILL) at every fail point that
 * the code has, and the next run must end with the facts, findings and reports of an baseline one.
 */
const { baseline, withScene } = prepareScenes();

/** A run passes these; `move.test.ts`, `purge.test.ts` and `deliver-reports.test.ts` beside this file walk the others. */
const walked = Object.keys(failPoints).filter((name) => !/^(?:move|purge|deliver|worker)\./.test(name));
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
