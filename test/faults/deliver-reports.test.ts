import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Interrupted } from '../../src/cli/interrupted.js';
import { deliverReport } from '../../src/delivery/deliver-report.js';
import type { LoopbackSftpOptions } from '../../src/demo/loopback-sftp-server.js';
import { failPoints } from '../../src/fail-point.js';
import type { ReportDelivery, RunOutcome } from '../../src/outcome.js';
import { openLocalTarget } from '../../src/remote/local-target.js';
import { createInstallation, filesBelow, settlementFile, type Installation } from '../cli/installation.js';
import { recon } from '../cli/recon.js';
import { runCli } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { startSshd } from '../support/real-servers.js';
import { firstOf, onRequest, startSftpServer, STATUS_CODE } from '../support/sftp-server.js';

/** Reports reach a folder or an SFTP server whole or not at all, and a run never fails because of it (design 11). */

const [openSsh, tmpfs] = [needs.openSsh(), needs.tmpfs()];

interface Place {
  /** The settings of `reports.deliverTo`. */
  readonly setting: string;
  /** What was delivered. */
  readonly folder: string;
}

function placeIn(installation: Installation, name: string): string {
  const folder = path.join(installation.directory, name);
  mkdirSync(folder);
  return folder;
}

function localPlace(installation: Installation, name = 'finance'): Place {
  const folder = placeIn(installation, name);
  return { folder, setting: `{ name: ${name}, protocol: local, folder: ${folder}, attempts: 1 }` };
}

async function sftpPlace(
  installation: Installation,
  options: Partial<LoopbackSftpOptions> = {},
  attempts = 1,
): Promise<Place> {
  const folder = placeIn(installation, 'bank');
  const server = await startSftpServer(folder, { isWritable: true, ...options });
  onTestFinished(() => server.close());
  const login = `host: 127.0.0.1, port: ${server.port}, username: merchant, password: secret`;
  const hostKeys = `hostKeys: ['${server.hostKeyFingerprint}']`;
  const setting = `{ name: bank, protocol: sftp, folder: /, ${login}, ${hostKeys}, attempts: ${attempts} }`;
  return { folder, setting };
}

/** Settings of an installation that delivers to these places, and sends alerts to `alerts.log`. */
function configure(installation: Installation, places: readonly Place[], more = ''): void {
  const log = path.join(installation.directory, 'alerts.log');
  const script = installation.write('alert.sh', `cat >> '${log}'\n`);
  const list = places.map(({ setting }) => `    - ${setting}\n`).join('');
  installation.write(
    'recon.config.yaml',
    `retention: { reportsDays: 30 }\nalerts: { command: [/bin/sh, ${script}] }\nlogLevel: error\nreports:\n${more}  deliverTo:\n${list}`,
  );
}

function alertsOf(installation: Installation): string[] {
  const log = path.join(installation.directory, 'alerts.log');
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  rmSync(log);
  return lines.map((line) => {
    const { state, key } = JSON.parse(line) as { state: string; key: string };
    return `${state} ${key}`;
  });
}

const published = ({ dataDirectory }: Installation) => filesBelow(path.join(dataDirectory, 'reports'));

/** A run that takes one file more than the one before; it is never failed by a delivery. */
async function runNext(installation: Installation, number: number): Promise<RunOutcome> {
  const file = installation.write(`settlement-${number}.csv`, settlementFile(number));
  const { code, document } = await installation.json<RunOutcome>('run', '--file', file);
  expect([code, document.status, document.exitCode]).toEqual([0, 'completed', 0]);
  return document;
}

const stateOf = (deliveries: readonly ReportDelivery[] = []) =>
  deliveries.map(({ target, folder, status, error }) => [target, folder, status, error?.code ?? null]);

interface Doctor {
  checks: { subject: string; code: string | null; message: string }[];
}

const doctorOn = async (installation: Installation, name: string) => {
  const { document } = await installation.json<Doctor>('doctor');
  return document.checks.find(({ subject }) => subject === `delivery to ${name}`);
};

test('every report is delivered whole, once, and a changed one replaces the former', async () => {
  const installation = await createInstallation();
  const places = [localPlace(installation), await sftpPlace(installation)];
  configure(installation, places);
  const outcome = await runNext(installation, 1);
  expect(stateOf(outcome.deliveries)).toEqual([
    ['finance', 'run-000001', 'delivered', null],
    ['bank', 'run-000001', 'delivered', null],
  ]);
  expect(outcome.notices ?? []).not.toContainEqual(expect.stringContaining('deliver'));
  for (const { folder } of places) {
    expect(filesBelow(folder)).toEqual(published(installation));
    expect(readdirSync(folder)).toEqual(['run-000001']);
    const modes = ['.', 'reconciled', 'manifest.json'].map(
      (name) => statSync(path.join(folder, 'run-000001', name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  }
  const inodes = () => places.map(({ folder }) => statSync(path.join(folder, 'run-000001/page.html')).ino);
  const before = inodes();
  const again = await installation.json<{ deliveries: ReportDelivery[] }>('reports', 'deliver', '--run', '1');
  expect([again.code, again.document.deliveries.map(({ status }) => status)]).toEqual([
    0,
    ['delivered', 'delivered'],
  ]);
  expect(inodes()).toEqual(before);
  expect((await installation.recon('reports', 'deliver')).stdout).toBe('No report waits to be delivered.\n');
  for (const { folder } of places) truncateSync(path.join(folder, 'run-000001/page.html'));
  await installation.recon('reports', 'deliver', '--run', '1');
  for (const { folder } of places) expect(filesBelow(folder)).toEqual(published(installation));

  // A decision changes the report of the run when it is written again.
  await installation.recon('decide', 'settlement-1.csv:2', '--accept', '--reason', 'agreed', '--by', 'anna');
  const report = await installation.recon('report', '--run', '1');
  expect([report.code, report.stdout]).toEqual([0, expect.stringContaining('delivered to bank: run-000001')]);
  for (const { folder } of places) {
    expect(filesBelow(folder)).toEqual(published(installation));
    expect(readdirSync(folder)).toEqual(['run-000001']);
  }
  expect(inodes()).not.toEqual(before);
  expect(await doctorOn(installation, 'bank')).toMatchObject({ code: null });
});

test('reports.fileMode holds for delivered files too', async () => {
  const installation = await createInstallation();
  const places = [localPlace(installation), await sftpPlace(installation)];
  configure(installation, places, "  fileMode: '0640'\n");
  await runNext(installation, 1);
  for (const { folder } of places) {
    expect(statSync(path.join(folder, 'run-000001/manifest.json')).mode & 0o777).toBe(0o640);
    expect(statSync(path.join(folder, 'run-000001')).mode & 0o777).toBe(0o750);
  }
});

test('a connection that breaks in the middle of a file is tried again in the same run', async () => {
  const installation = await createInstallation();
  let breaks = 0;
  const file = '/.run-000001.recon-tmp/discrepancies.csv';
  const place = await sftpPlace(
    installation,
    {
      intercept: onRequest({ kind: 'WRITE', path: file, times: 1 }, ({ connection }) => {
        breaks += 1;
        connection.end();
        return true;
      }),
    },
    2,
  );
  configure(installation, [place]);
  const outcome = await runNext(installation, 1);
  expect([breaks, stateOf(outcome.deliveries)]).toEqual([1, [['bank', 'run-000001', 'delivered', null]]]);
  expect(filesBelow(place.folder)).toEqual(published(installation));
  expect(readdirSync(place.folder)).toEqual(['run-000001']);
});

test('a place that refuses fails no run, is reported everywhere, and gets everything later', async () => {
  const installation = await createInstallation();
  let isFull = true;
  const place = await sftpPlace(installation, {
    intercept: ({ kind, sftp, id }) => {
      if (kind !== 'WRITE' || !isFull) return false;
      sftp.status(id, STATUS_CODE.FAILURE);
      return true;
    },
  });
  // The other place does not wait for it.
  const other = localPlace(installation);
  configure(installation, [place, other]);
  const outcome = await runNext(installation, 1);
  expect(stateOf(outcome.deliveries)).toEqual([
    ['bank', 'run-000001', 'waiting', 'REPORT_UNDELIVERED'],
    ['finance', 'run-000001', 'delivered', null],
  ]);
  expect(outcome.notices?.at(-1)).toMatch(/run-000001 could not be delivered to bank: .* the server failed/);
  expect(alertsOf(installation)).toEqual(['raised delivery-failed:bank']);
  await runNext(installation, 2);
  expect(alertsOf(installation)).toEqual([]);
  expect(readdirSync(place.folder).filter((name) => !name.startsWith('.'))).toEqual([]);
  expect(await doctorOn(installation, 'bank')).toMatchObject({
    code: 'REPORT_UNDELIVERED',
    message: expect.stringMatching(/2 reports wait, the oldest is run-000001 \(tried 2 times\)/) as string,
  });
  // What still waits is not purged, however old it is.
  const purged = await installation.json<{ kinds: { kind: string; kept: unknown[] }[] }>(
    ...['purge', '--as-of', '2099-01-01', '--dry-run'],
  );
  expect(purged.document.kinds.find(({ kind }) => kind === 'reports')).toMatchObject({
    removed: { count: 0 },
    kept: [{ reason: 'waiting', count: 2 }],
  });
  const failing = await installation.recon('reports', 'deliver');
  expect([failing.code, failing.stdout]).toEqual([4, expect.stringContaining('(REPORT_UNDELIVERED)')]);
  isFull = false;
  const { code, stdout } = await installation.recon('reports', 'deliver');
  expect([code, stdout]).toEqual([0, 'delivered  run-000001 to bank\ndelivered  run-000002 to bank\n']);
  expect(alertsOf(installation)).toEqual(['recovered delivery-failed:bank']);
  for (const { folder } of [place, other]) expect(filesBelow(folder)).toEqual(published(installation));
  expect(readdirSync(place.folder)).toEqual(['run-000001', 'run-000002']);
});

test('a missing folder, a folder of somebody else and a damaged report are refused with a reason', async () => {
  const installation = await createInstallation();
  const place = localPlace(installation);
  configure(installation, [place]);
  // A disk that is not mounted: nothing is written below its empty mount point.
  rmSync(place.folder, { recursive: true });
  const [notMounted] = (await runNext(installation, 1)).deliveries ?? [];
  expect(notMounted?.error?.message).toMatch(/could not be read: it does not exist \(ENOENT\)/);
  expect(existsSync(place.folder)).toBe(false);
  // Another installation delivers to the same folder.
  mkdirSync(path.join(place.folder, 'run-000001'), { recursive: true });
  writeFileSync(path.join(place.folder, 'run-000001/manifest.json'), '{}\n');
  const second = await runNext(installation, 2);
  expect(stateOf(second.deliveries)).toEqual([
    ['finance', 'run-000001', 'waiting', 'REPORT_UNDELIVERED'],
    ['finance', 'run-000002', 'delivered', null],
  ]);
  expect(second.notices?.at(-1)).toContain('has another folder run-000001');
  expect(readFileSync(path.join(place.folder, 'run-000001/manifest.json'), 'utf8')).toBe('{}\n');
  // One byte of the report changed here.
  rmSync(path.join(place.folder, 'run-000001'), { recursive: true });
  const damaged = path.join(installation.dataDirectory, 'reports/run-000001/discrepancies.csv');
  writeFileSync(damaged, readFileSync(damaged, 'utf8').replace('NOT_MATCHED', 'NOT_MATCHEd'));
  const third = await runNext(installation, 3);
  expect(third.notices?.at(-1)).toContain('discrepancies.csv was changed');
  expect(readdirSync(place.folder).filter((name) => !name.startsWith('.'))).toEqual([
    'run-000002',
    'run-000003',
  ]);
  expect((await installation.recon('report', '--run', '1')).code).toBe(0);
  expect(filesBelow(place.folder)).toEqual(published(installation));
});

test('two deliveries at once: one sends, the other waits and finds nothing left', async () => {
  const installation = await createInstallation();
  const place = localPlace(installation);
  configure(installation, [place]);
  rmSync(place.folder, { recursive: true });
  await runNext(installation, 1);
  mkdirSync(place.folder);
  const ended = await Promise.all(
    [1, 2, 3].map(() => installation.json<{ deliveries: unknown[] }>('reports', 'deliver')),
  );
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(ended.reduce((sum, { document }) => sum + document.deliveries.length, 0)).toBe(1);
  expect(filesBelow(place.folder)).toEqual(published(installation));
});

test('a report that is written again while its former version is delivered is delivered once more', async () => {
  const installation = await createInstallation();
  const signals = new EventEmitter();
  const tmp = '/.run-000001.recon-tmp';
  const place = await sftpPlace(installation, {
    intercept: firstOf(
      onRequest({ kind: 'MKDIR', path: tmp, times: 1 }, ({ sftp, id }) => {
        sftp.status(id, STATUS_CODE.FAILURE);
        return true;
      }),
      onRequest({ kind: 'RENAME', path: tmp, times: 1 }, ({ sftp, id }) => {
        renameSync(path.join(place.folder, tmp), path.join(place.folder, 'run-000001'));
        signals.once('may end', () => sftp.status(id, STATUS_CODE.OK));
        signals.emit('named');
        return true;
      }),
    ),
  });
  configure(installation, [place]);
  await runNext(installation, 1);
  const named = once(signals, 'named');
  const slow = installation.recon('reports', 'deliver');
  await named;
  await installation.recon('decide', 'settlement-1.csv:2', '--accept', '--reason', 'agreed', '--by', 'anna');
  const { sql } = installation.database.database;
  const [{ requested } = {}] = await sql<{ requested: string }[]>`
    select requested_at::text as requested from report_deliveries`;
  const report = installation.recon('report', '--run', '1');
  await vi.waitFor(
    async () => {
      const rows = await sql`select from report_deliveries where requested_at > ${requested ?? ''}`;
      expect(rows).toHaveLength(1);
    },
    { timeout: 30_000, interval: 20 },
  );
  signals.emit('may end');
  expect((await slow).code).toBe(0);
  expect((await report).stdout).toContain('delivered to bank: run-000001');
  expect(filesBelow(place.folder)).toEqual(published(installation));
});

test.each(['discrepancies.csv', 'manifest.json'])(
  'a place that confirms %s and does not keep it gets nothing under the final name',
  async (name) => {
    const installation = await createInstallation();
    const place = await sftpPlace(installation, {
      intercept: onRequest({ kind: 'WRITE', path: `/.run-000001.recon-tmp/${name}` }, ({ sftp, id }) => {
        sftp.status(id, STATUS_CODE.OK);
        return true;
      }),
    });
    configure(installation, [place]);
    const [delivery] = (await runNext(installation, 1)).deliveries ?? [];
    expect(delivery?.error?.message).toMatch(new RegExp(`has 0 bytes of .*/${name}, which has \\d+ here`));
    expect(readdirSync(place.folder)).toEqual(['.run-000001.recon-tmp']);
  },
);

test('a place that refuses the name of a replacement keeps the former version', async () => {
  const installation = await createInstallation();
  const place = await sftpPlace(installation, {
    intercept: onRequest({ kind: 'RENAME', path: '/.run-000001.recon-tmp', from: 2 }, ({ sftp, id }) => {
      sftp.status(id, STATUS_CODE.FAILURE);
      return true;
    }),
  });
  configure(installation, [place]);
  await runNext(installation, 1);
  const former = filesBelow(place.folder);
  await installation.recon('decide', 'settlement-1.csv:2', '--accept', '--reason', 'agreed', '--by', 'anna');
  expect((await installation.recon('report', '--run', '1')).stdout).toContain(
    'could not be delivered to bank',
  );
  expect(filesBelow(path.join(place.folder, 'run-000001'))).toEqual(
    Object.fromEntries(Object.entries(former).map(([name, hash]) => [name.replace('run-000001/', ''), hash])),
  );
});

test('a place whose server sends a file without end is refused', async () => {
  const installation = await createInstallation();
  const place = await sftpPlace(installation, {
    intercept: onRequest({ kind: 'READ', path: '/run-000001/manifest.json' }, ({ sftp, id }) => {
      sftp.data(id, Buffer.alloc(1024));
      return true;
    }),
  });
  mkdirSync(path.join(place.folder, 'run-000001'));
  writeFileSync(path.join(place.folder, 'run-000001', 'manifest.json'), '{}');
  configure(installation, [place]);
  const { notices } = await runNext(installation, 1);
  expect(notices?.at(-1)).toMatch(/has another folder run-000001, which was not delivered from here/);
});

test('a link that somebody else puts in the place of the folder is not followed', async () => {
  const installation = await createInstallation();
  await runNext(installation, 1);
  const place = localPlace(installation);
  const elsewhere = placeIn(installation, 'elsewhere');
  const target = await openLocalTarget(
    { name: 'copy', protocol: 'local', folder: place.folder, attempts: 1 },
    0o600,
  );
  const delivery = deliverReport(
    {
      ...target,
      makeFolder: (name) => {
        symlinkSync(elsewhere, path.join(place.folder, name));
        return target.makeFolder(name);
      },
    },
    {
      reportsDirectory: path.join(installation.dataDirectory, 'reports'),
      name: 'run-000001',
      sent: [],
      beforeSending: () => Promise.resolve(),
      signal: new AbortController().signal,
    },
  );
  await expect(delivery).rejects.toMatchObject({ code: 'REPORT_UNDELIVERED' });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('a process that loses its lock stops writing, because another one may have begun', async () => {
  const installation = await createInstallation();
  const { sql } = installation.database.database;
  const connections = new Set<unknown>();
  let open = 0;
  const place = await sftpPlace(installation, {
    intercept: ({ kind, path: at, sftp, id, connection }) => {
      if (!connections.has(connection)) {
        connections.add(connection);
        open += 1;
        connection.once('close', () => (open -= 1));
      }
      if (kind !== 'MKDIR' || connections.size > 1 || at !== '/.run-000001.recon-tmp') return false;
      mkdirSync(path.join(place.folder, at));
      void sql`
        select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())`.then(() =>
        sftp.status(id, STATUS_CODE.OK),
      );
      return true;
    },
  });
  configure(installation, [place]);
  const outcome = await runNext(installation, 1);
  expect(outcome.notices?.at(-1)).toContain('The reports could not be delivered');
  expect(readdirSync(place.folder)).toEqual(['.run-000001.recon-tmp']);
  expect((await installation.recon('reports', 'deliver')).code).toBe(0);
  expect(filesBelow(place.folder)).toEqual(published(installation));
  expect(connections.size).toBe(2);
  await vi.waitFor(() => expect(open, 'connections that stay open').toBe(0));
});

test('a signal ends a delivery between two pieces, and the next places are not tried', async () => {
  const installation = await createInstallation();
  const stopping = new AbortController();
  const place = await sftpPlace(installation, {
    intercept: ({ kind }) => {
      if (kind === 'MKDIR') stopping.abort(new Interrupted('SIGTERM'));
      return false;
    },
  });
  const other = localPlace(installation);
  configure(installation, [place, other]);
  const file = installation.write('settlement-1.csv', settlementFile(1));
  const { directory: cwd, environment } = installation;
  const run = await recon(['run', '--file', file, '--json'], { cwd, environment, signal: stopping.signal });
  const { deliveries } = JSON.parse(run.stdout) as RunOutcome;
  expect(stateOf(deliveries)).toEqual([
    ['bank', 'run-000001', 'waiting', 'RUN_INTERRUPTED'],
    ['finance', 'run-000001', 'waiting', 'RUN_INTERRUPTED'],
  ]);
  expect(readdirSync(other.folder)).toEqual([]);

  const target = await openLocalTarget(
    { name: 'copy', protocol: 'local', folder: other.folder, attempts: 1 },
    0o600,
  );
  const signals = new AbortController();
  const delivery = deliverReport(target, {
    reportsDirectory: path.join(installation.dataDirectory, 'reports'),
    name: 'run-000001',
    sent: [],
    beforeSending: async () => {
      await Promise.resolve();
      signals.abort();
    },
    signal: signals.signal,
  });
  await expect(delivery).rejects.toMatchObject({ code: 'RUN_INTERRUPTED' });
  expect(readdirSync(other.folder)).toEqual(['.run-000001.recon-tmp']);
});

test('a run does not wait for a slow receiver of an earlier report', async () => {
  const installation = await createInstallation();
  const signals = new EventEmitter();
  const tmp = '/.run-000001.recon-tmp';
  const place = await sftpPlace(installation, {
    intercept: onRequest({ kind: 'MKDIR', path: tmp, times: 1 }, ({ sftp, id }) => {
      mkdirSync(path.join(place.folder, tmp));
      signals.once('may go on', () => sftp.status(id, STATUS_CODE.OK));
      signals.emit('held');
      return true;
    }),
  });
  configure(installation, [place]);
  const held = once(signals, 'held');
  const first = runNext(installation, 1);
  await held;
  const second = runNext(installation, 2);
  await vi.waitFor(
    async () => {
      const { sql } = installation.database.database;
      expect(await sql`select from runs where status = 'completed'`).toHaveLength(2);
    },
    { timeout: 30_000, interval: 20 },
  );
  signals.emit('may go on');
  await Promise.all([first, second]);
  expect(filesBelow(place.folder)).toEqual(published(installation));
});

/** A file in the middle stands for each of them. */
const points = Object.keys(failPoints)
  .filter((name) => name.startsWith('deliver.'))
  .map((name) => (name === 'deliver.file.after' ? `${name}:3` : name));

test.each(points)('killed at %s, the next run delivers both reports', async (point) => {
  const installation = await createInstallation();
  const place = localPlace(installation);
  configure(installation, [place]);
  const { directory, environment } = installation;
  const dies = async (...args: string[]) => {
    const env = { ...environment, RECON_FAIL_AT: point };
    expect((await runCli(args, { env, cwd: directory })).signal).toBe('SIGKILL');
  };
  const file = installation.write('settlement-1.csv', settlementFile(1));
  if (point === 'deliver.aside.after') {
    await runNext(installation, 1);
    await installation.recon('decide', 'settlement-1.csv:2', '--accept', '--reason', 'x', '--by', 'anna');
    await dies('report', '--run', '1');
  } else {
    await dies('run', '--file', file);
    // The run itself was completed; only its delivery was cut short.
    const { document } = await installation.json<{ status: string }[]>('runs');
    expect(document[0]?.status).toBe('completed');
  }
  const outcome = await runNext(installation, 2);
  expect(stateOf(outcome.deliveries).map(([, folder, status]) => [folder, status])).toEqual([
    ['run-000001', 'delivered'],
    ['run-000002', 'delivered'],
  ]);
  expect(filesBelow(place.folder)).toEqual(published(installation));
  expect(readdirSync(place.folder)).toEqual(['run-000001', 'run-000002']);
});

test('killed between the renames of a replacement, a delivery that fails leaves the former version', async () => {
  const installation = await createInstallation();
  const place = localPlace(installation);
  configure(installation, [place]);
  await runNext(installation, 1);
  const former = filesBelow(place.folder);
  await installation.recon('decide', 'settlement-1.csv:2', '--accept', '--reason', 'x', '--by', 'anna');
  const env = { ...installation.environment, RECON_FAIL_AT: 'deliver.aside.after' };
  await runCli(['report', '--run', '1'], { env, cwd: installation.directory });
  expect(readdirSync(place.folder)).toEqual(['.run-000001.recon-old', '.run-000001.recon-tmp']);
  writeFileSync(path.join(installation.dataDirectory, 'reports/run-000001/discrepancies.csv'), 'damaged');
  expect((await installation.recon('reports', 'deliver')).code).toBe(4);
  expect(filesBelow(place.folder)).toMatchObject(former);
});

test.runIf(tmpfs.isMet)('a full disk at the place', tmpfs.orSkipped, async () => {
  const installation = await createInstallation();
  const place = localPlace(installation);
  const mount = (...options: string[]) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', ...options, 'tmpfs', place.folder]);
  mount('size=16k');
  onTestFinished(() => void spawnSync('umount', [place.folder]));
  configure(installation, [place]);
  const outcome = await runNext(installation, 1);
  expect(outcome.deliveries?.[0]?.error).toMatchObject({
    code: 'REPORT_UNDELIVERED',
    message: expect.stringMatching(/could not write .*: the disk is full \(ENOSPC\)/) as string,
  });
  mount('remount,size=10m');
  expect((await installation.recon('reports', 'deliver')).code).toBe(0);
  expect(filesBelow(place.folder)).toEqual(published(installation));
});

test.runIf(openSsh.isMet)('OpenSSH gets the reports, and their replacement', openSsh.orSkipped, async () => {
  const installation = await createInstallation();
  const folder = placeIn(installation, 'bank');
  const server = await startSshd(installation.directory);
  onTestFinished(() => server.close());
  installation.write('key.pem', server.privateKey);
  const login = `host: 127.0.0.1, port: ${server.port}, username: ${server.username}, privateKeyFile: key.pem`;
  const setting = `{ name: bank, protocol: sftp, folder: ${folder}, ${login}, hostKeys: ['${server.hostKeyFingerprint}'] }`;
  configure(installation, [{ folder, setting }], "  fileMode: '0640'\n");
  await runNext(installation, 1);
  await installation.recon('decide', 'settlement-1.csv:2', '--accept', '--reason', 'agreed', '--by', 'anna');
  expect((await installation.recon('report', '--run', '1')).code).toBe(0);
  expect(filesBelow(folder)).toEqual(published(installation));
  expect(readdirSync(folder)).toEqual(['run-000001']);
  expect(statSync(path.join(folder, 'run-000001/reconciled')).mode & 0o777).toBe(0o750);
});
