import { describe, expect, test } from 'vitest';
import type { FailPoint } from '../../src/fail-point.js';
import type { CliResult, WatchedCli } from '../support/cli.js';
import { prepareScenes } from './prepared-scenes.js';
import { expectOutcome, expectRecovery, factsOf, type Outcome, type Scene } from './scene.js';
import { untilSomebodyWaits } from '../support/until-somebody-waits.js';
import { leftOversOf, reportFolders } from '../support/settlement-night.js';
import { letAMinutePass, untilStopped } from './stopped-process.js';

/**
 * Runs that are stopped from outside in the middle of an act: by a signal of the operator, by standing still for
 * so long that another takes over, by a lock that is taken from them. Each pauses at a fail point, so
 * that what is done to it happens exactly there.
 */
const { baseline, withScene } = prepareScenes();

/** Starts a run that pauses at a point, and lets it go on at the end. */
async function whileStopped(
  point: FailPoint | `${FailPoint}:${number}`,
  play: (scene: Scene, run: WatchedCli) => Promise<void>,
): Promise<void> {
  await withScene(async (scene) => {
    const run = scene.start({ failAt: `${point}${point.includes(':') ? '' : ':1'}:stop` });
    try {
      await untilStopped(run);
      await play(scene, run);
    } finally {
      run.kill('SIGKILL');
    }
  });
}

/** A file is stored with all its rows or with none; a run's report is there whole or not at all. */
async function expectNothingHalf(scene: Scene): Promise<void> {
  const { sql } = scene.database.database;
  const half = await sql`
    select f.name, f.status, f.rows_accepted, f.rows_already_known,
      (select count(*)::integer from settlement_records r where r.file_id = f.id) as stored,
      (select count(*)::integer from already_known_rows k where k.file_id = f.id) as known
    from settlement_files f`;
  for (const file of half) {
    const isLoaded = file['status'] === 'loaded';
    const accepted = isLoaded ? Number(file['rows_accepted']) : 0;
    expect(Number(file['stored']) + Number(file['known']), String(file['name'])).toBe(accepted);
  }
  const matched = await sql`
    select count(*)::integer as matched, (select count(*)::integer from settlement_records) as stored
    from record_matches`;
  expect([0, matched[0]?.['stored']]).toContain(matched[0]?.['matched']);
  expect(reportFolders(scene)).toEqual([]);
  expect(leftOversOf(scene)).toEqual([]);
}

const acts = [
  ['the opening', 'lock.after'],
  ['the download', 'download.first-byte'],
  ['the download', 'archive.before'],
  ['the load', 'copy.row:60'],
  ['the load', 'staging.copied'],
  ['the load', 'load.commit.before'],
  ['the matching', 'match.records.after'],
  ['the matching', 'match.booking.before'],
  ['the reports', 'publish.file.before:3'],
  ['the reports', 'publish.manifest.after'],
] as const;

describe.concurrent('F76 a run that is interrupted', () => {
  test.each(
    acts.flatMap(([act, point], index) =>
      // Both signals go the same way after they came: each point with one, each act with both.
      [[index % 2 === 0 ? 'SIGTERM' : 'SIGINT', act, point] as const],
    ),
  )(
    'by %s in the middle of %s (%s) ends within 10 s, leaves nothing partial, and the next run completes the work',
    async (signal, _act, point) => {
      await whileStopped(point, async (scene, run) => {
        run.kill(signal);
        const signalledAt = Date.now();
        run.kill('SIGCONT');
        const { code, stdout } = await run.ended;
        expect(Date.now() - signalledAt).toBeLessThan(10_000);
        expect(code).toBe(signal === 'SIGTERM' ? 143 : 130);
        expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', error: { code: 'RUN_INTERRUPTED' } });
        const { sql } = scene.database.database;
        expect(await sql`select status, exit_code from runs`).toMatchObject([
          { status: 'interrupted', exit_code: code },
        ]);
        await expectNothingHalf(scene);
        await expectRecovery(scene, baseline());
      });
    },
  );

  test.each([
    ['the load', 'load.before', 'settlement_records'],
    ['the matching', 'match.before', 'record_matches'],
    ['the reports', 'publish.before', 'discrepancies'],
  ] as const)('in a statement of %s that does not end, ends within 10 s', async (_act, point, table) => {
    await whileStopped(point, async (scene, run) => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let locked = (): void => undefined;
      const isLocked = new Promise<void>((resolve) => (locked = resolve));
      const { sql } = scene.database.database;
      const blocker = sql.begin(async (tx) => {
        await tx`lock table ${tx(table)} in access exclusive mode`;
        locked();
        await held;
      });
      await isLocked;
      run.kill('SIGCONT');
      await untilSomebodyWaits(scene.database.url);
      run.kill('SIGTERM');
      const signalledAt = Date.now();
      const { code } = await run.ended;
      const tookMs = Date.now() - signalledAt;
      release();
      await blocker;
      expect(code).toBe(143);
      expect(tookMs).toBeLessThan(10_000);
      expect(await sql`select status from runs`).toMatchObject([{ status: 'interrupted' }]);
      expect(reportFolders(scene)).toEqual([]);
      await expectRecovery(scene, baseline());
    });
  });

  test.each(['publish.rename.after', 'publish.after', 'close.before'] as const)(
    'when all is done (%s) ends as it would have',
    async (point) => {
      await whileStopped(point, async (scene, run) => {
        run.kill('SIGTERM');
        run.kill('SIGCONT');
        const { code, stdout } = await run.ended;
        expect([1, 143]).toContain(code);
        expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', exitCode: 1 });
        await expectOutcome(scene, baseline());
      });
    },
  );
});

const replaced = ({ code, stdout, stderr }: CliResult) => {
  expect({ code, stderr }).toMatchObject({ code: 5 });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', error: { code: 'RUN_REPLACED' } });
};

describe.concurrent('F77 a run that is paused', () => {
  test('keeps the lock for a minute: another run reports so', async () => {
    await whileStopped('match.before', async (scene, run) => {
      const other = await scene.run();
      expect(other.code).toBe(3);
      expect(JSON.parse(other.stdout)).toMatchObject({ error: { code: 'RUN_ACTIVE' } });
      run.kill('SIGCONT');
      expect((await run.ended).code).toBe(1);
      await expectOutcome(scene, baseline());
    });
  });

  test.each([
    'lock.after',
    'download.first-byte',
    'archive.renamed',
    'register.after',
    'copy.row:60',
    'load.commit.before',
    'load.commit.after',
    'match.before',
    'match.booking.after',
    'match.commit.after',
    'publish.file.before',
    'publish.rename.before',
    'close.before',
  ] as const)('at %s is replaced, and writes nothing when it wakes up', async (point) => {
    await whileStopped(point, async (scene, run) => {
      await letAMinutePass(scene);
      const startedAt = Date.now();
      const next = await scene.run();
      expect([0, 1], next.stdout + next.stderr).toContain(next.code);
      expect(Date.now() - startedAt).toBeLessThan(20_000);
      await expectTakenOver(scene, baseline());
      run.kill('SIGCONT');
      replaced(await run.ended);
      await expectTakenOver(scene, baseline());
      expect(leftOversOf(scene)).toEqual([]);
      const statuses = await scene.database.database.sql`select status from runs order by id`;
      expect(statuses.map(({ status }) => status as string)).toEqual(['abandoned', 'completed']);
    });
  });
});

/** What is stored is what the baseline run stored; the stopped one may still hold an incoming file. */
async function expectTakenOver(scene: Scene, { facts }: Outcome): Promise<void> {
  expect({ ...(await factsOf(scene)), incoming: [] }).toEqual({ ...facts, incoming: [] });
}

describe.concurrent('F80 the connection that holds the lock is ended', () => {
  test.each(['copy.row:60', 'match.records.after', 'publish.file.before:2'] as const)(
    'at %s: the run stops and the next one completes the work',
    async (point) => {
      await whileStopped(point, async (scene, run) => {
        await scene.database.database.sql`
          select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and granted
            and database = (select oid from pg_database where datname = current_database())`;
        run.kill('SIGCONT');
        replaced(await run.ended);
        await expectNothingHalf(scene);
        await expectRecovery(scene, baseline());
      });
    },
  );
});
