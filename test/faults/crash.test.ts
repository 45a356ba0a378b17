import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/**
 * Crash anywhere, run again, same result: a run is killed for real (SIGKILL, by itself) at every fail point that
 * the code has, and the next run must end with the facts, findings and reports of an undisturbed one.
 */
const root = path.resolve(import.meta.dirname, '../..');
const fixtures = path.join(root, 'fixtures/demo');
const nights = ['settlement-2026-11-18.csv', 'settlement-2026-11-19.csv'];

/** Every point of the code, so that a new one is walked without anybody remembering it. */
const failPoints = [
  ...new Set(
    readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [
        ...readFileSync(path.join(root, 'src', name), 'utf8').matchAll(/failPoint\('([^']+)'\)/g),
      ])
      .map((match) => match[1] ?? ''),
  ),
].sort();

/** Passed only when reports are written again over a folder that is there; test/reporting walks it. */
const elsewhere = ['publish.aside.after'];

interface Scene {
  readonly database: TestDatabase;
  readonly directory: string;
  run(failAt?: string): ReturnType<typeof runCli>;
  end(): Promise<void>;
}

async function setScene(): Promise<Scene> {
  const database = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'recon-crash-'));
  const inbox = path.join(directory, 'inbox');
  mkdirSync(inbox);
  for (const night of nights) {
    const file = path.join(inbox, night);
    writeFileSync(file, readFileSync(path.join(fixtures, 'inbound', night)));
    utimesSync(file, new Date('2026-11-19T06:00:00Z'), new Date('2026-11-19T06:00:00Z'));
  }
  writeFileSync(
    path.join(directory, 'recon.config.yaml'),
    'sources:\n  - { name: inbox, protocol: local, folder: ./inbox }\n',
  );
  const env = { RECON_DATABASE_URL: database.url, RECON_DATA_DIR: path.join(directory, 'data') };
  const imported = await runCli(['payments', 'import', path.join(fixtures, 'payments.csv')], {
    env,
    cwd: directory,
  });
  expect(imported.code).toBe(0);
  return {
    database,
    directory,
    run: (failAt) =>
      runCli(['run', '--as-of', '2026-11-20', '--json'], {
        env: { ...env, ...(failAt === undefined ? {} : { RECON_FAIL_AT: failAt }) },
        cwd: directory,
      }),
    end: async () => {
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** What is stored, in words that do not depend on numbers of runs and files. */
async function factsOf({ database: { database } }: Scene): Promise<Record<string, unknown>> {
  const { sql } = database;
  return {
    files: await sql`select name, status, rows_total, rows_accepted, rows_rejected, rows_already_known
      from settlement_files order by name`,
    records: await sql`
      select f.name, r.line, m.status, m.matched_by, p.id as payment, l.chargeback_id, l.booking_id
      from settlement_records r join settlement_files f on f.id = r.file_id
      left join record_matches m on m.file_id = r.file_id and m.line = r.line
      left join payments p on p.key = m.payment_key
      left join chargeback_links l on l.file_id = r.file_id and l.line = r.line
      order by f.name, r.line`,
    rejected: await sql`select f.name, q.line, q.issues from rejected_rows q
      join settlement_files f on f.id = q.file_id order by f.name, q.line`,
    discrepancies:
      await sql`select id, code, message from discrepancies where resolved_run is null order by id`,
    bookings: await sql`select id, payment_type, amount_minor from payments
      where payment_type in ('CB', 'CR') order by id`,
    running: await sql`select id from runs where status = 'running'`,
  };
}

/** The reports of the run that told of the files: the last folder with reconciled files in it. */
function reportsOf(scene: Scene): Record<string, string> {
  const reports = path.join(scene.directory, 'data/reports');
  const folder = readdirSync(reports)
    .filter(
      (name) =>
        name.startsWith('run-') && existsSync(path.join(reports, name, 'reconciled', nights[0] ?? '')),
    )
    .sort()
    .at(-1);
  const names = readdirSync(path.join(reports, folder ?? ''), { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => name.endsWith('.csv'))
      .sort()
      // FirstSeenRun, the last column, is the number of a run.
      .map((name) => [
        name,
        readFileSync(path.join(reports, folder ?? '', name), 'utf8').replace(/;"?\d+"?(?=\r\n)/g, ''),
      ]),
  );
}

function leftOvers(scene: Scene): string[] {
  return readdirSync(path.join(scene.directory, 'data'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(part|tmp)$/.test(name),
  );
}

let undisturbed: { facts: Record<string, unknown>; reports: Record<string, string> };

beforeAll(async () => {
  const scene = await setScene();
  expect((await scene.run()).code).toBe(1);
  undisturbed = { facts: await factsOf(scene), reports: reportsOf(scene) };
  await scene.end();
});

test('the points are found', () => {
  expect(failPoints.length).toBeGreaterThan(20);
});

describe.concurrent('F73 killed at', () => {
  test.each(failPoints.filter((name) => !elsewhere.includes(name)))('%s', async (name) => {
    const scene = await setScene();
    try {
      const killed = await scene.run(name);
      expect(killed.signal).toBe('SIGKILL');
      const next = await scene.run();
      expect([0, 1]).toContain(next.code);
      expect(await factsOf(scene)).toEqual(undisturbed.facts);
      expect(reportsOf(scene)).toEqual(undisturbed.reports);
      expect(leftOvers(scene)).toEqual([]);
    } finally {
      await scene.end();
    }
  });
});

describe.concurrent('F75 killed at two points in a row', () => {
  test.each([
    ['load.after', 'match.before'],
    ['match.after', 'publish.manifest.before'],
    ['publish.rename.after', 'register.after'],
    ['archive.after', 'load.before:2'],
  ])('%s, then %s', async (first, second) => {
    const scene = await setScene();
    try {
      expect((await scene.run(first)).signal).toBe('SIGKILL');
      await scene.run(second);
      await scene.run();
      expect(await factsOf(scene)).toEqual(undisturbed.facts);
      expect(reportsOf(scene)).toEqual(undisturbed.reports);
      expect(leftOvers(scene)).toEqual([]);
    } finally {
      await scene.end();
    }
  });
});
