import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { verifyReports } from '../../src/reporting/folder/verify-reports.js';
import { paymentsFile, settlementFile } from '../cli/installation.js';
import { recon as reconHere } from '../cli/recon.js';
import { runCli } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { databaseForEachTest } from '../support/database.js';
import { folderForEachTest } from '../support/test-folder.js';

/**
 * A disk that is full, read-only or failing, under each of the folders that a run writes to: nothing partial
 * under a final name, exit 6, and the next run with a sound disk ends as if nothing had happened.
 */
const main = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
const [tmpfs, strace] = [needs.tmpfs(), needs.strace()];

/** A file of 1.4 MB, all of it valid: more than the small disks hold. */
const large = settlementFile(
  1,
  2,
  ...Array.from({ length: 5000 }, (_, index) => ({ SettlementTxId: `STL-LARGE-${index}` })),
);

const testDatabase = databaseForEachTest();
const directory = folderForEachTest();
let data: string;
let mounts: string[];

beforeEach(async () => {
  data = path.join(directory.path, 'data');
  mounts = [];
  mkdirSync(data);
  writeFileSync(path.join(directory.path, 'settlement.csv'), large);
  writeFileSync(path.join(directory.path, 'payments.csv'), paymentsFile(1, 2, 3));
  const imported = await reconHere(['payments', 'import', 'payments.csv'], {
    environment: environment(),
    cwd: directory.path,
  });
  expect(imported.code).toBe(0);
});

afterEach(() => {
  for (const folder of mounts.reverse()) spawnSync('umount', ['-l', folder]);
});

const environment = () => ({ RECON_DATABASE_URL: testDatabase.url, RECON_DATA_DIR: data });
const recon = (...args: string[]) => runCli(args, { env: environment(), cwd: directory.path });

async function run(): Promise<{ code: number; document: RunOutcome; stderr: string }> {
  const { code, stdout, stderr } = await recon(...runArguments, '--json');
  return { code, document: JSON.parse(stdout) as RunOutcome, stderr };
}

const runArguments = ['run', '--file', 'settlement.csv', '--as-of', '2026-11-20'];

function mount(folder: string, options: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  mounts.push(folder);
}

function remount(folder: string, options: string): void {
  execFileSync('mount', ['-o', `remount,${options}`, folder]);
}

/** Everything under a final name is whole: the archive by its hashes, the reports by their manifests. */
async function expectNothingPartial(): Promise<void> {
  const archive = path.join(data, 'archive');
  if (existsSync(archive)) {
    for (const entry of readdirSync(archive, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = readFileSync(path.join(entry.parentPath, entry.name));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(entry.name);
    }
  }
  const reports = path.join(data, 'reports');
  if (!existsSync(reports)) return;
  for (const { folder, problems } of await verifyReports(reports)) expect(problems, folder).toEqual([]);
}

/** What the run after the failure must have come to, and that nothing is left lying about. */
async function expectAllDone(): Promise<void> {
  const { code, document, stderr } = await run();
  expect(code, stderr).toBe(0);
  await expectDone(document);
}

async function expectDone(document: RunOutcome): Promise<void> {
  expect(document.files).toMatchObject([{ name: 'settlement.csv', rows: { accepted: 5002, rejected: 0 } }]);
  const { sql } = testDatabase.database;
  const [stored] = await sql`select count(*)::int as records,
    (select count(*)::int from record_matches where status = 'MATCHED') as matched from settlement_records`;
  expect(stored).toEqual({ records: 5002, matched: 2 });
  await expectNothingPartial();
  const reconciled = readFileSync(
    path.join(data, 'reports', reportFolder(document), 'reconciled/settlement.csv'),
  );
  expect(reconciled.toString().trimEnd().split('\n')).toHaveLength(5003);
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /\.(part|tmp|old)$/.test(name))).toEqual([]);
}

const reportFolder = ({ runId }: RunOutcome) => `run-${String(runId).padStart(6, '0')}`;

/** The run failed because of the disk, says so, and is recorded so. */
async function expectDiskFailure(expected: 'DISK_FULL' | 'DISK_FAILED'): Promise<void> {
  const { code, document, stderr } = await run();
  expect({ code, error: document.error?.code }, stderr).toEqual({ code: 6, error: expected });
  expect(document).toMatchObject({ status: 'failed', exitCode: 6, reports: null });
  expect(stderr).not.toMatch(/\n\s+at /);
  await expectNothingPartial();
  const rows = await testDatabase.database
    .sql`select status, exit_code, error_code from runs order by id desc limit 1`;
  expect(rows).toEqual([{ status: 'failed', exit_code: 6, error_code: expected }]);
}

describe.runIf(tmpfs.isMet)('F24 F88 a separate disk', tmpfs.orSkipped, () => {
  test('that is full under the archive', async () => {
    mount(data, 'size=1m');
    await expectDiskFailure('DISK_FULL');
    expect(readdirSync(path.join(data, 'incoming'))).toEqual([]);
    remount(data, 'size=16m');
    await expectAllDone();
  });

  test('that is full under the archive only, which is another disk than the rest', async () => {
    mount(path.join(data, 'archive'), 'size=1m');
    // There is no rename across disks, and a copy would not be whole at once.
    await expectDiskFailure('DISK_FAILED');
    spawnSync('umount', [path.join(data, 'archive')]);
    await expectAllDone();
  });

  test('that has space, but no room for more files: recon doctor says so', async () => {
    rmSync(data, { recursive: true });
    mount(data, 'size=2g,nr_inodes=1000');
    const { code, stdout } = await recon('doctor', '--json');
    expect(code).toBe(6);
    expect(stdout).toMatch(/can be written, but has room for only 9\d\d more files \(df -i\)/);
  });

  test('that has the archive only: recon doctor reports that no file can be received', async () => {
    const config = path.join(directory.path, 'recon.config.yaml');
    writeFileSync(config, 'sources: [{ name: bank, protocol: local, folder: . }]\n', { mode: 0o600 });
    const wrongFolders = async () => {
      const { stdout } = await recon('doctor', '--config', config, '--json');
      const { checks } = JSON.parse(stdout) as {
        checks: { subject: string; message: string; code: string | null }[];
      };
      return checks.filter(({ subject, code }) => subject.startsWith('folder ') && code === 'DISK_FAILED');
    };
    expect((await run()).code).toBe(0);
    expect(await wrongFolders()).toEqual([]);
    const archive = path.join(data, 'archive');
    mount(archive, 'size=16m');
    expect(await wrongFolders()).toMatchObject([
      {
        subject: `folder ${archive}`,
        message: expect.stringContaining('are on different disks or mounts') as string,
      },
    ]);
    expect([...readdirSync(archive), ...readdirSync(path.join(data, 'incoming'))]).toEqual([]);
  });

  test('that is full under the reports: what was loaded is kept and reported by the next run', async () => {
    mount(path.join(data, 'reports'), 'size=1m');
    await expectDiskFailure('DISK_FULL');
    expect(readdirSync(path.join(data, 'reports'))).toEqual([]);
    remount(path.join(data, 'reports'), 'size=16m');
    await expectAllDone();
  });

  test('that is full to the last block under the reports', async () => {
    const reports = path.join(data, 'reports');
    mount(reports, 'size=1m');
    const filler = path.join(reports, 'filler');
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']);
    await expectDiskFailure('DISK_FULL');
    expect(readdirSync(reports)).toEqual(['filler']);
    rmSync(filler);
    remount(reports, 'size=16m');
    await expectAllDone();
  });

  test.each([
    ['the archive', 'archive'],
    ['incoming files', 'incoming'],
    ['the reports', 'reports'],
    ['everything', '.'],
  ])('that may only be read under %s', async (_what, below) => {
    const folder = path.join(data, below);
    mount(folder, 'size=16m');
    remount(folder, 'ro');
    await expectDiskFailure('DISK_FAILED');
    spawnSync('umount', [folder]);
    await expectAllDone();
  });

  test('F103 a report folder that is in use by another file system: the reports there stay', async () => {
    const first = await run();
    const folder = path.join(data, 'reports', reportFolder(first.document));
    mount(folder, 'size=1m');
    writeFileSync(path.join(folder, 'held'), 'open');
    const { code, stdout } = await recon('report', '--run', '1', '--json');
    expect(code).toBe(6);
    expect(stdout).toContain('"DISK_FAILED"');
    expect(readdirSync(folder)).toEqual(['held']);
    expect(readdirSync(path.join(data, 'reports'))).toEqual([reportFolder(first.document)]);
    spawnSync('umount', [folder]);
    expect((await recon('report', '--run', '1')).code).toBe(0);
    await expectNothingPartial();
  });

  test('that is full under the log: the run completes, and its exit code reports the log', async () => {
    const logs = path.join(directory.path, 'logs');
    mount(logs, 'size=1m');
    spawnSync('dd', ['if=/dev/zero', `of=${path.join(logs, 'filler')}`, 'bs=4k']);
    const log = openSync(path.join(logs, 'recon.log'), 'a');
    const { PATH = '' } = process.env;
    const child = spawn(process.execPath, [main, ...runArguments, '--json'], {
      cwd: directory.path,
      env: { PATH, ...environment() },
      stdio: ['ignore', 'pipe', log],
    });
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const code = await new Promise((resolve) => child.on('close', resolve));
    closeSync(log);
    expect(code).toBe(6);
    const outcome = JSON.parse(stdout) as RunOutcome;
    expect(outcome).toMatchObject({ status: 'completed', exitCode: 0 });
    const [row] = await testDatabase.database.sql`select status, exit_code from runs`;
    expect(row).toEqual({ status: 'completed', exit_code: 0 });
    await expectNothingPartial();
    expect((await recon('rerun', '--from', '2026-11-19', '--to', '2026-11-19')).code).toBe(0);
  });
});

describe.runIf(strace.isMet)('F25 F102 a disk that fails when a file is synced', strace.orSkipped, () => {
  test.each(['fsync', 'rename', 'mkdir'])(
    'EIO at every %s of a run in turn',
    async (call) => {
      let failed = 0;
      for (;;) {
        const { code, stdout } = runWithFault(`${call}:error=EIO:when=${failed + 1}`);
        const outcome = JSON.parse(stdout) as RunOutcome;
        if (code === 0) {
          await expectDone(outcome);
          break;
        }
        expect({ code, error: outcome.error?.code }, `${call} ${failed + 1}`).toEqual({
          code: 6,
          error: 'DISK_FAILED',
        });
        await expectNothingPartial();
        failed += 1;
      }
      expect(failed).toBeGreaterThan(1);
    },
    300_000,
  );

  function runWithFault(inject: string): { code: number | null; stdout: string } {
    const call = inject.slice(0, inject.indexOf(':'));
    const options = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${inject}`];
    const { PATH = '' } = process.env;
    // strace counts the calls of each thread.
    const env = { PATH, UV_THREADPOOL_SIZE: '1', ...environment() };
    const { status, stdout } = spawnSync(
      'strace',
      [...options, process.execPath, main, ...runArguments, '--json'],
      { encoding: 'utf8', cwd: directory.path, env, timeout: 60_000 },
    );
    return { code: status, stdout };
  }
});

test('F103 a report folder that disappeared is created again; a file in its place ends the run', async () => {
  const reports = path.join(data, 'reports');
  writeFileSync(reports, 'precious');
  expect(await run()).toMatchObject({ code: 6, document: { error: { code: 'DISK_FAILED' } } });
  expect(readFileSync(reports, 'utf8')).toBe('precious');
  rmSync(reports);
  await expectAllDone();
});
