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
import { createWorld, paymentsFile, settlementFile, type World } from './world.js';

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
async function recon(world: World, mask: string, ...args: string[]): Promise<void> {
  const through = withUmask(mask);
  const { code, stderr } = await runCli(args, { env: world.environment, cwd: world.directory, through });
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
}

const asOf = ['--as-of', '2026-11-20'];
const range = ['--from', '2026-11-01', '--to', '2026-11-30'];

/** Every command that writes files. */
async function writeEverything(world: World, mask: string): Promise<void> {
  await recon(world, mask, 'init');
  world.write('given/payments.csv', paymentsFile(1, 2));
  await recon(world, mask, 'payments', 'import', 'given/payments.csv');
  world.write('inbox/settlement.csv', settlementFile(1));
  world.write('given/other.csv', settlementFile(2));
  for (const name of ['inbox/settlement.csv', 'given', 'given/payments.csv', 'given/other.csv'])
    chmodSync(path.join(world.directory, name), 0o700);
  await recon(world, mask, 'run', ...asOf);
  await recon(world, mask, 'run', '--file', 'given/other.csv', ...asOf);
  await recon(world, mask, 'run', '--dry-run', ...asOf);
  await recon(world, mask, 'rerun', ...range, ...asOf);
  await recon(world, mask, 'report', ...range);
  await recon(world, mask, 'payments', 'export', 'payments-out.csv');
  await recon(world, mask, 'doctor', '--reports');
}

test.each(['000', '022'])('with umask %s only the owner can read or write', async (mask) => {
  const world = await createWorld();
  await writeEverything(world, mask);
  const written = Object.keys(modesBelow(world.directory));
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
  expect(widerThanOwner(world.directory)).toEqual([]);
});

test('the samples, archive and reports of the demo are readable only by the owner', async () => {
  const world = await createWorld();
  await recon(world, '000', 'demo', '--quiet');
  const demo = path.join(world.directory, 'recon-demo');
  expect(modeOf(demo)).toBe('0700');
  expect(readdirSync(path.join(demo, 'acquirer-server'))).toHaveLength(3);
  expect(widerThanOwner(demo).filter(([name]) => !name.startsWith('database'))).toEqual([]);
});

describe('reports.fileMode', () => {
  async function runWith(world: World, fileMode: string, mask = '077'): Promise<void> {
    world.write('recon.config.yaml', `reports: { fileMode: '${fileMode}' }\n`);
    world.write('settlement.csv', settlementFile(1));
    await recon(world, mask, 'run', '--file', 'settlement.csv', ...asOf);
  }

  test.each([
    ['0640', '0640', '0750', '0710'],
    ['0644', '0644', '0755', '0711'],
    ['0660', '0660', '0770', '0710'],
  ])('%s lets others read the reports and enter the data directory', async (mode, file, folder, data) => {
    const world = await createWorld();
    await runWith(world, mode);
    const modes = modesBelow(world.dataDirectory);
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
    expect(modeOf(world.dataDirectory)).toBe(data);
  });

  test('makes the reports private again when the setting is removed', async () => {
    const world = await createWorld();
    await runWith(world, '0644');
    await runWith(world, '0600');
    expect(modesBelow(world.dataDirectory)).toMatchObject({
      reports: '0700',
      'reports/run-000002': '0700',
      'reports/run-000002/discrepancies.csv': '0600',
    });
  });
});

test('the next run makes folders private that an earlier version left open', async () => {
  const world = await createWorld();
  for (const name of ['', 'archive', 'incoming', 'reports', 'reports/run-000000'])
    mkdirSync(path.join(world.dataDirectory, name));
  for (const name of ['archive', 'incoming', 'reports'])
    chmodSync(path.join(world.dataDirectory, name), 0o777);
  world.write('settlement.csv', settlementFile(1));
  await recon(world, '022', 'run', '--file', 'settlement.csv', ...asOf);
  expect(modesBelow(world.dataDirectory)).toMatchObject({
    archive: '0700',
    incoming: '0700',
    reports: '0700',
  });
});

describe('an exported file', () => {
  test('keeps the mode of the file that it replaces', async () => {
    const world = await createWorld();
    const file = path.join(world.directory, 'out.csv');
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    await recon(world, '077', 'payments', 'export', 'out.csv');
    expect(modeOf(file)).toBe('0640');
    expect(readFileSync(file, 'utf8')).toMatch(/^PaymentId;/);
  });

  test('does not follow a link that stands where it is prepared', async () => {
    const world = await createWorld();
    const precious = world.write('precious', 'kept');
    symlinkSync(precious, path.join(world.directory, 'out.csv.partial'));
    await recon(world, '022', 'payments', 'export', 'out.csv');
    expect(readFileSync(precious, 'utf8')).toBe('kept');
    expect(statSync(path.join(world.directory, 'out.csv')).isFile()).toBe(true);
  });
});
