import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { createInstallation, paymentsFile, settlementFile, type Installation } from './installation.js';

/**
 * Only the owner may read what recon writes, whatever the umask: reports and archived files contain names and
 * account numbers, and a configuration may contain a password.
 */

/** The mode of every file and folder below, by its path. */
function modesBelow(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(names.sort().map((name) => [name, modeOf(path.join(directory, name))]));
}

const modeOf = (file: string) => (lstatSync(file).mode & 0o7777).toString(8).padStart(4, '0');

function widerThanOwner(directory: string): [string, string][] {
  return Object.entries(modesBelow(directory)).filter(([, mode]) => mode !== '0600' && mode !== '0700');
}

const withUmask = (mask: string) => ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh'];

/** Runs the command line with a umask; it must end with 0. */
async function recon(installation: Installation, mask: string, ...args: string[]): Promise<void> {
  const through = withUmask(mask);
  const { code, stderr } = await runCli(args, {
    env: installation.environment,
    cwd: installation.directory,
    through,
  });
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
}

const asOf = ['--as-of', '2026-11-20'];
const range = ['--from', '2026-11-01', '--to', '2026-11-30'];

/** Every command that writes files. */
async function writeEverything(installation: Installation, mask: string): Promise<void> {
  await recon(installation, mask, 'init');
  installation.write('given/payments.csv', paymentsFile(1, 2));
  await recon(installation, mask, 'payments', 'import', 'given/payments.csv');
  installation.write('inbox/settlement.csv', settlementFile(1));
  installation.write('given/other.csv', settlementFile(2));
  for (const name of ['inbox/settlement.csv', 'given', 'given/payments.csv', 'given/other.csv'])
    chmodSync(path.join(installation.directory, name), 0o700);
  await recon(installation, mask, 'run', ...asOf);
  await recon(installation, mask, 'run', '--file', 'given/other.csv', ...asOf);
  await recon(installation, mask, 'run', '--dry-run', ...asOf);
  await recon(installation, mask, 'rerun', ...range, ...asOf);
  await recon(installation, mask, 'report', ...range);
  await recon(installation, mask, 'payments', 'export', 'payments-out.csv');
  await recon(installation, mask, 'doctor', '--reports');
}

test.each(['000', '022'])('with umask %s only the owner can read or write', async (mask) => {
  const installation = await createInstallation();
  await writeEverything(installation, mask);
  const written = Object.keys(modesBelow(installation.directory));
  expect(written).toEqual(
    expect.arrayContaining([
      'data/archive',
      'data/incoming',
      'data/reports/run-000001/reconciled/settlement.csv',
      'data/reports/range-2026-11-01-2026-11-30/manifest.json',
      'inbox',
      'payments-out.csv',
      'recon.config.yaml',
    ]),
  );
  expect(widerThanOwner(installation.directory)).toEqual([]);
});

test('the samples, archive, reports and database of the demo are readable only by the owner', async () => {
  const installation = await createInstallation();
  await recon(installation, '000', 'demo', '--quiet');
  const demo = path.join(installation.directory, 'recon-demo');
  expect(modeOf(demo)).toBe('0700');
  expect(readdirSync(path.join(demo, 'acquirer-server'))).toHaveLength(3);
  expect(Object.keys(modesBelow(demo))).toEqual(
    expect.arrayContaining(['database/PG_VERSION', 'database.lock', 'database.log']),
  );
  expect(widerThanOwner(demo)).toEqual([]);
});

describe('reports.fileMode', () => {
  async function runWith(installation: Installation, fileMode: string, mask = '077'): Promise<void> {
    installation.write('recon.config.yaml', `reports: { fileMode: '${fileMode}' }\n`);
    installation.write('settlement.csv', settlementFile(1));
    await recon(installation, mask, 'run', '--file', 'settlement.csv', ...asOf);
  }

  test.each([
    ['0640', '0640', '0750', '0710'],
    ['0644', '0644', '0755', '0711'],
    ['0660', '0660', '0770', '0710'],
  ])('%s lets others read the reports and enter the data directory', async (mode, file, folder, data) => {
    const installation = await createInstallation();
    await runWith(installation, mode);
    const modes = modesBelow(installation.dataDirectory);
    expect(modes).toMatchObject({
      archive: '0700',
      incoming: '0700',
      reports: folder,
      'reports/run-000001': folder,
      'reports/run-000001/discrepancies.csv': file,
      'reports/run-000001/manifest.json': file,
      'reports/run-000001/reconciled': folder,
      'reports/run-000001/reconciled/settlement.csv': file,
    });
    expect(modeOf(installation.dataDirectory)).toBe(data);
  });

  test('makes the reports private again when the setting is removed', async () => {
    const installation = await createInstallation();
    await runWith(installation, '0644');
    await runWith(installation, '0600');
    expect(modesBelow(installation.dataDirectory)).toMatchObject({
      reports: '0700',
      'reports/run-000002': '0700',
      'reports/run-000002/discrepancies.csv': '0600',
    });
  });
});

test('the next run makes folders private that an earlier version left open', async () => {
  const installation = await createInstallation();
  for (const name of ['', 'archive', 'incoming', 'reports', 'reports/run-000000'])
    mkdirSync(path.join(installation.dataDirectory, name));
  for (const name of ['archive', 'incoming', 'reports'])
    chmodSync(path.join(installation.dataDirectory, name), 0o777);
  installation.write('settlement.csv', settlementFile(1));
  await recon(installation, '022', 'run', '--file', 'settlement.csv', ...asOf);
  expect(modesBelow(installation.dataDirectory)).toMatchObject({
    archive: '0700',
    incoming: '0700',
    reports: '0700',
  });
});

describe('an exported file', () => {
  test('keeps the mode of the file that it replaces', async () => {
    const installation = await createInstallation();
    const file = path.join(installation.directory, 'out.csv');
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    await recon(installation, '077', 'payments', 'export', 'out.csv');
    expect(modeOf(file)).toBe('0640');
    expect(readFileSync(file, 'utf8')).toMatch(/^PaymentId;/);
  });

  test('does not follow a link that stands where it is prepared', async () => {
    const installation = await createInstallation();
    const precious = installation.write('precious', 'kept');
    symlinkSync(precious, path.join(installation.directory, 'out.csv.partial'));
    await recon(installation, '022', 'payments', 'export', 'out.csv');
    expect(readFileSync(precious, 'utf8')).toBe('kept');
    expect(statSync(path.join(installation.directory, 'out.csv')).isFile()).toBe(true);
  });
});

test('a dry run leaves nothing in the folder for temporary files', async () => {
  const installation = await createInstallation();
  const { directory, environment } = installation;
  const file = installation.write('settlement.csv', settlementFile(1));
  const temporary = path.join(directory, 'tmp');
  mkdirSync(temporary);
  const env = { ...environment, TMPDIR: temporary };
  const { code } = await runCli(['run', '--file', file, '--dry-run'], { env, cwd: directory });
  expect([code, readdirSync(temporary)]).toEqual([0, []]);
});
