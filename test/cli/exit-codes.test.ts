import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OutcomeError, RunOutcome } from '../../src/outcome.js';
import { acquireRunLock } from '../../src/run/run-lock.js';
import { runCli, startCli } from '../support/cli.js';
import { administer, testUrl, databaseForEachTest } from '../support/database.js';
import { runContext } from '../support/run-context.js';
import { folderForEachTest } from '../support/test-folder.js';
import { recon as runInProcess, type Ended } from './recon.js';

/** Every exit code of design 5 as a caller sees it, and the one JSON document that belongs to it. */
const fixtures = path.resolve(import.meta.dirname, '../../fixtures');
const inbound = (story: string) => path.join(fixtures, story, 'inbound/settlement-2026-11-19.csv');

const testDatabase = databaseForEachTest();
const directory = folderForEachTest();
let env: Record<string, string>;

beforeEach(() => {
  env = { RECON_DATABASE_URL: testDatabase.url, RECON_DATA_DIR: 'data' };
});

/** The documents whose error is looked at are those of failures. */
type Document = Omit<RunOutcome, 'error'> & {
  readonly error: OutcomeError & { readonly advice?: string };
};

/** As a process: once for each exit code. */
async function reconProcess(args: readonly string[], more: Record<string, string> = {}) {
  return documentOf(await runCli([...args, '--json'], { env: { ...env, ...more }, cwd: directory.path }));
}

async function recon(args: readonly string[], more: Record<string, string> = {}) {
  return documentOf(
    await runInProcess([...args, '--json'], { environment: { ...env, ...more }, cwd: directory.path }),
  );
}

function documentOf({ code, stdout, stderr }: Ended) {
  expect(stderr).not.toMatch(/\n\s+at /);
  return { code, stderr, document: JSON.parse(stdout) as Document };
}

async function importPayments(story: string): Promise<void> {
  const { code } = await recon(['payments', 'import', path.join(fixtures, story, 'payments.csv')]);
  expect(code).toBe(0);
}

const asOf = ['--as-of', '2026-11-20'];

test('0: done', async () => {
  await importPayments('clean-day');
  const { code, document } = await reconProcess([
    'run',
    ...asOf,
    '--file',
    inbound('clean-day'),
    '--fail-on',
    'info',
  ]);
  expect(code).toBe(0);
  expect(document).toMatchObject({ runId: 1, status: 'completed', exitCode: 0, error: null });
});

test('1: a row was rejected, and --fail-on finds nothing', async () => {
  await importPayments('bad-rows');
  const { code, document } = await recon([
    'run',
    ...asOf,
    '--file',
    inbound('bad-rows'),
    '--fail-on',
    'error',
  ]);
  expect(code).toBe(1);
  expect(document.exitCode).toBe(1);
});

test('1: a file was rejected', async () => {
  const file = path.join(directory.path, 'no.csv');
  writeFileSync(file, 'Not;The;Header\n');
  const { code, document } = await reconProcess(['run', ...asOf, '--file', file]);
  expect(code).toBe(1);
  expect(document.files[0]).toMatchObject({ status: 'rejected', error: { code: 'FILE_HEADER' } });
});

describe('2', () => {
  test('a configuration with several problems, all reported', async () => {
    writeFileSync(path.join(directory.path, 'recon.config.yaml'), 'timezon: UTC\nlookbackDays: 0\n');
    const { code, document } = await reconProcess(['run']);
    expect(code).toBe(2);
    expect(document.error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(document.error.message.split('\n').slice(1)).toEqual([
      'recon.config.yaml:1:1 timezon: there is no such setting (did you mean timezone?)',
      'recon.config.yaml:2:15 lookbackDays: must be at least 1',
    ]);
  });

  test.each([
    ['a configuration file that does not exist', ['runs', '--config', 'gone.yaml'], 'CONFIG_UNREADABLE'],
    ['nothing to fetch', ['run'], 'CONFIG_INVALID'],
    ['nothing to schedule', ['schedule'], 'CONFIG_INVALID'],
    ['a run that does not exist', ['report', '--run', '99'], 'RUN_NOT_FOUND'],
    ['no run at all', ['report'], 'RUN_NOT_FOUND'],
    ['a record that does not exist', ['explain', 'nothing'], 'RECORD_NOT_FOUND'],
  ])('%s', async (_name, args, expected) => {
    const { code, document } = await recon(args);
    expect({ code, error: document.error.code, exitCode: document.exitCode }).toEqual({
      code: 2,
      error: expected,
      exitCode: 2,
    });
  });

  test('a source that is not configured', async () => {
    mkdirSync(path.join(directory.path, 'inbox'));
    writeFileSync(
      path.join(directory.path, 'recon.config.yaml'),
      'sources: [{ name: inbox, protocol: local, folder: inbox }]\n',
    );
    const { code, document } = await recon(['run', '--source', 'inbx']);
    expect(code).toBe(2);
    expect(document.error.message).toBe(
      'There is no source named "inbx" (did you mean inbox?); configured: inbox.',
    );
  });

  test('a payments file with one invalid line: nothing is stored, and the line is named', async () => {
    const lines = readFileSync(path.join(fixtures, 'clean-day/payments.csv'), 'utf8').split('\n');
    lines[2] = (lines[2] ?? '').replace(/;EUR;/, ';EURO;');
    writeFileSync(path.join(directory.path, 'payments.csv'), lines.join('\n'));
    const { code, document } = await recon(['payments', 'import', 'payments.csv']);
    expect(code).toBe(2);
    expect(document.error.code).toBe('PAYMENTS_FILE_INVALID');
    expect(document.error.message).toMatch(/line 3.*Currency/i);
    const [row] = await testDatabase.database.sql<
      { count: number }[]
    >`select count(*)::int as count from payments`;
    expect(row?.count).toBe(0);
  });
});

test('3: another run is active; its number is named', async () => {
  const lock = await acquireRunLock(runContext(testDatabase.database, directory.path), {
    kind: 'run',
    asOf: '2026-11-20',
    range: null,
    scheduledFor: null,
  });
  try {
    for (const args of [
      ['run', '--file', inbound('clean-day')],
      ['rerun', '--from', '2026-11-19', '--to', '2026-11-19'],
    ]) {
      const { code, document } = await reconProcess(args);
      expect(code).toBe(3);
      expect(document.error.code).toBe('RUN_ACTIVE');
      expect(document.error.message).toMatch(/^Run 1 \(run, process \d+ on /);
    }
  } finally {
    await lock.release();
  }
});

describe('4', () => {
  test('one source could not be read, the other was', async () => {
    mkdirSync(path.join(directory.path, 'inbox'));
    writeFileSync(path.join(directory.path, 'inbox/a.csv'), readFileSync(inbound('clean-day')));
    writeFileSync(
      path.join(directory.path, 'recon.config.yaml'),
      `sources:
  - { name: gone, protocol: local, folder: gone }
  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }
`,
    );
    const { code, document } = await reconProcess(['run', ...asOf]);
    expect(code).toBe(4);
    expect(document.sources.map(({ name, status }) => [name, status])).toEqual([
      ['gone', 'failed'],
      ['inbox', 'read'],
    ]);
    expect(document.files).toMatchObject([{ name: 'a.csv', status: 'loaded' }]);
  });

  test.each([
    ['that is not there', 'gone.csv'],
    ['that is a folder', '.'],
    ['with a name that could act on a terminal', '\u001b[2J.csv'],
  ])('a file %s', async (_name, file) => {
    const args = ['run', ...asOf, '--file', file, '--file', inbound('clean-day')];
    const { code, document } = await recon(args);
    expect(code).toBe(4);
    expect(document.files.map(({ status }) => status)).toEqual(['failed', 'loaded']);
    const { stdout, stderr } = await runInProcess(['run', ...asOf, '--file', file], {
      environment: env,
      cwd: directory.path,
    });
    expect(stdout + stderr).not.toContain('\u001b');
  });
});

describe('2 for a malformed address of the database', () => {
  test.each([
    ['a percent sign without two digits', 'postgres://u:S3cret%ZZPw@127.0.0.1/db'],
    ['a percent sign in the name', 'postgres://u:S3cret@127.0.0.1/d%b'],
    ['a port beyond all ports', 'postgres://u:S3cret@127.0.0.1:99999/db'],
    ['a port that is no number', 'postgres://u:S3cret@127.0.0.1/db?port=abc'],
    ['no host before the port', 'postgres://u:S3cret@:5432/db'],
    ['another scheme', 'mysql://u:S3cret@127.0.0.1/db'],
    ['a space in the host', 'postgres://u:S3cret@a host/db'],
    ['an unknown sslmode', 'postgres://u:S3cret@127.0.0.1/db?sslmode=reqire'],
    ['the password alone', 'S3cret'],
  ])('%s', async (_what, url) => {
    for (const args of [['runs'], ['run', '--file', inbound('clean-day')], ['migrate']]) {
      const { code, document, stderr } = await recon(args, { RECON_DATABASE_URL: url });
      expect({ code, error: document.error.code }).toEqual({ code: 2, error: 'CONFIG_INVALID' });
      expect(JSON.stringify(document) + stderr).not.toContain('S3cret');
    }
    const doctor = await runCli(['doctor'], {
      env: { ...env, RECON_DATABASE_URL: url },
      cwd: directory.path,
    });
    expect(doctor.code).toBe(2);
    expect(doctor.stdout).toMatch(/WRONG {2}database: .*RECON_DATABASE_URL/);
    expect(doctor.stdout + doctor.stderr).not.toContain('S3cret');
  });
});

describe('5', () => {
  test('a database that does not answer', async () => {
    // A port on which nothing listens: it was free a moment ago.
    const port = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 1));
      });
    });
    const url = `postgresql://recon:pa55word@127.0.0.1:${port}/recon`;
    for (const args of [['runs'], ['run', '--file', inbound('clean-day')], ['migrate']]) {
      const { code, document, stderr } = await reconProcess(args, { RECON_DATABASE_URL: url });
      expect({ code, error: document.error.code }).toEqual({ code: 5, error: 'DATABASE_UNREACHABLE' });
      expect(JSON.stringify(document) + stderr).not.toContain('pa55word');
    }
  });

  test('a database without the tables of recon, until it is migrated', async () => {
    const name = `recon_test_${process.pid}_empty`;
    await administer(`create database ${name} encoding 'UTF8' template template0`);
    const own = { RECON_DATABASE_URL: testUrl(name) };
    try {
      const before = await recon(['runs'], own);
      expect({ code: before.code, error: before.document.error.code }).toEqual({
        code: 5,
        error: 'DATABASE_SCHEMA',
      });
      expect((await recon(['migrate', '--check'], own)).code).toBe(5);
      expect((await recon(['migrate'], own)).code).toBe(0);
      expect((await recon(['migrate', '--check'], own)).code).toBe(0);
      expect((await recon(['runs'], own)).code).toBe(0);
    } finally {
      await administer(`drop database if exists ${name} with (force)`);
    }
  });
});

test('6: the data folder cannot be written', async () => {
  writeFileSync(path.join(directory.path, 'data'), 'a file where a folder should be');
  const { code, document } = await reconProcess(['run', ...asOf, '--file', inbound('clean-day')]);
  expect(code).toBe(6);
  expect(document).toMatchObject({ status: 'failed', exitCode: 6, error: { code: 'DISK_FAILED' } });
  const failed = await recon(['runs', '--status', 'failed']);
  expect(failed.document).toMatchObject([{ runId: 1, exitCode: 6, errorCode: 'DISK_FAILED' }]);
  const doctor = await runCli(['doctor'], { env, cwd: directory.path });
  expect(doctor.stdout).toMatch(
    /WRONG {2}folder .+data: cannot be written: a file or folder with that name already exists \(EEXIST\)\./,
  );
});

test.each([
  ['error', 7],
  ['warning', 7],
])('7: with --fail-on %s and a discrepancy of severity error', async (severity, expected) => {
  const failOn = ['--fail-on', severity];
  const run = await reconProcess(['run', ...asOf, '--file', inbound('not-matched'), ...failOn]);
  expect(run.document.discrepancies.byCode['NOT_MATCHED']).toBeGreaterThan(0);
  expect([run.code, run.document.exitCode]).toEqual([expected, expected]);
  const range = ['--from', '2026-11-01', '--to', '2026-11-30'];
  expect((await recon(['rerun', ...range, ...asOf, ...failOn])).code).toBe(expected);
  expect((await recon(['report', '--run', '1', ...failOn])).code).toBe(expected);
  expect((await recon(['report', '--run', '1'])).code).toBe(0);
});

describe('130 and 143', () => {
  /** Sends the signals when the log says that the schedule has started, and returns how the process ends. */
  async function interrupted(signals: readonly NodeJS.Signals[]): Promise<number | null> {
    mkdirSync(path.join(directory.path, 'inbox'));
    writeFileSync(
      path.join(directory.path, 'recon.config.yaml'),
      'sources: [{ name: inbox, protocol: local, folder: inbox }]\n',
    );
    const child = startCli(['schedule'], { env, cwd: directory.path });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('next run')) for (const signal of signals) child.kill(signal);
    });
    return new Promise((resolve) => child.on('close', resolve));
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends with %i', async (signal, expected) => {
    expect(await interrupted([signal])).toBe(expected);
  });

  /** A run that waits for a table that is locked until `release`. */
  async function startHeldRun() {
    let unlock = (): void => undefined;
    const held = new Promise<void>((resolve) => (unlock = resolve));
    const blocker = testDatabase.database.sql.begin(async (tx) => {
      await tx`lock table settlement_files in access exclusive mode`;
      await held;
    });
    const child = startCli(['run', ...asOf, '--file', inbound('clean-day')], { env, cwd: directory.path });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await until(async () => (await testDatabase.database.sql`select 1 from runs`).length > 0);
    const release = () => {
      unlock();
      return blocker;
    };
    return { child, ended, release };
  }

  test('a second signal ends it immediately, whatever it is waiting for', async () => {
    const { child, ended, release } = await startHeldRun();
    child.kill('SIGTERM');
    await sleep(500);
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    await release();
  });

  // `timeout` sends its signal to the program, and then to the group of processes that the program belongs to.
  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'two signals at once, %s first, are one demand',
    async (first) => {
      const { child, ended, release } = await startHeldRun();
      child.kill(first);
      // Signals of one kind that have not been delivered yet become one.
      await sleep(5);
      child.kill('SIGTERM');
      await sleep(50);
      await release();
      expect(await ended).toBe(143);
      const [run] = await testDatabase.database.sql`select status, exit_code from runs where id = 1`;
      expect(run).toMatchObject({ status: 'interrupted', exit_code: 143 });
    },
  );

  test('a stopped run reports that it was stopped, keeps its number and is continued by the next run', async () => {
    const lines = readFileSync(inbound('clean-day'), 'utf8').split('\n');
    const row = lines[1] ?? '';
    const id = row.split(';')[9] ?? '';
    const rows = Array.from({ length: 40_000 }, (_, index) => row.replace(id, `STL-BIG-${index}`));
    writeFileSync(path.join(directory.path, 'big.csv'), `${[lines[0], ...rows].join('\n')}\n`);
    const child = startCli(['run', ...asOf, '--file', 'big.csv', '--json'], { env, cwd: directory.path });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await until(async () => (await testDatabase.database.sql`select 1 from runs`).length > 0);
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
    expect(JSON.parse(stdout)).toMatchObject({
      runId: 1,
      status: 'failed',
      exitCode: 143,
      error: { code: 'RUN_INTERRUPTED' },
    });
    const [run] = await testDatabase.database.sql`select status, exit_code from runs where id = 1`;
    expect(run).toMatchObject({ status: 'interrupted', exit_code: 143 });
    const next = await recon(['run', ...asOf, '--file', 'big.csv']);
    expect(next.document.files).toMatchObject([
      { name: 'big.csv', status: 'loaded', rows: { accepted: 40_000 } },
    ]);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('a reader that closes the pipe is not a failure', async () => {
  await importPayments('clean-day');
  const child = startCli(['payments', 'export'], { env, cwd: directory.path });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  expect(stderr).toBe('');
});

test('logs are JSON lines on standard error; --quiet suppresses them', async () => {
  const args = ['run', ...asOf, '--file', inbound('clean-day')];
  const { stderr, stdout } = await runCli(args, { env, cwd: directory.path });
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string });
  expect(lines.map(({ msg }) => msg)).toContain('file loaded');
  expect(stdout).toContain('Run 1 completed');
  const quiet = await runCli([...args, '--quiet'], { env, cwd: directory.path });
  expect({ stdout: quiet.stdout, stderr: quiet.stderr }).toEqual({ stdout: '', stderr: '' });
});

test('6: the current folder was deleted', async () => {
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  const through = ['sh', '-c', script, 'sh'];
  const { code, document } = documentOf(
    await runCli(['runs', '--json'], { env, cwd: directory.path, through }),
  );
  expect(code).toBe(6);
  expect(document).toMatchObject({ error: { code: 'DISK_FAILED' }, exitCode: 6 });
  expect(document.error.message).toBe('The current folder was deleted, or cannot be read.');
});

test('4: a pipe instead of a file', async () => {
  const through = ['sh', '-c', `cat '${inbound('clean-day')}' | "$@"`, 'sh'];
  const args = ['run', '--file', '/dev/stdin', ...asOf, '--json'];
  const { code, document } = documentOf(await runCli(args, { env, cwd: directory.path, through }));
  expect(code).toBe(4);
  expect(document.files.map(({ error }) => error)).toEqual([
    { code: 'FILE_UNREADABLE', message: '/dev/stdin is not a regular file.' },
  ]);
});
