import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.js';
import { databaseForAllTests } from '../support/database.js';
import { folderForAllTests } from '../support/test-folder.js';
import { recon } from './recon.js';

/** A run and a re-run of the demo, read back with every listing command and filter. */
const demo = path.resolve(import.meta.dirname, '../../fixtures/demo');

const testDatabase = databaseForAllTests();
const folder = folderForAllTests();

beforeAll(async () => {
  cpSync(path.join(demo, 'inbound'), path.join(folder.path, 'inbox'), { recursive: true });
  writeFileSync(path.join(folder.path, 'inbox/bad.csv'), 'Not;The;Header\n');
  writeFileSync(
    path.join(folder.path, 'recon.config.yaml'),
    `dataDirectory: data
databaseUrl: ${testDatabase.url}
logLevel: silent
sources:
  - { name: inbox, protocol: local, folder: inbox, minimumAgeSeconds: 0 }
`,
  );
  await printed(['payments', 'import', path.join(demo, 'payments.csv')]);
  expect((await recon(['run', '--as-of', '2026-11-20', '--quiet'], { cwd: folder.path })).code).toBe(1);
  expect(
    (await recon(['rerun', '--from', '2026-11-19', '--to', '2026-11-19', '--quiet'], { cwd: folder.path }))
      .code,
  ).toBe(0);
});

async function printed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await recon(args, { cwd: folder.path });
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

type Row = Record<string, unknown>;
const listed = async (...args: string[]) => JSON.parse(await printed([...args, '--json'])) as Row[];

describe('runs', () => {
  test('lists the latest first, with times in ISO form', async () => {
    const runs = await listed('runs');
    expect(runs.map(({ runId, kind, status }) => [runId, kind, status])).toEqual([
      [2, 'rerun', 'completed'],
      [1, 'run', 'completed'],
    ]);
    expect(runs[0]).toMatchObject({ from: '2026-11-19', to: '2026-11-19', exitCode: 0, errorCode: null });
    expect(runs[1]).toMatchObject({ asOf: '2026-11-20', exitCode: 1, discrepancies: 11, scheduledFor: null });
    expect(runs[0]?.['startedAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  test.each([
    [['files', '--source', 'none'], 'No file fits the filter.'],
    [['discrepancies', '--run', '99'], 'No discrepancy fits the filter.'],
    [['payments', 'changes', '--payment', 'x'], 'No change fits the filter.'],
    [['chargebacks', 'list', '--status', 'withdrawn'], 'No chargeback fits the filter.'],
    [['audit', 'list', '--by', 'nobody'], 'No event fits the filter.'],
    [['jobs', 'list', '--status', 'ended'], 'No schedule fits the filter.'],
    [['webhooks', 'dead-letters', '--webhook', 'x'], 'No notification fits the filter.'],
  ])('%j says that nothing fits, and not that there is nothing', async (args, sentence) => {
    expect(await printed(args)).toBe(`${sentence}\n`);
  });

  test('filters by status, and says when the limit leaves out runs', async () => {
    expect(await listed('runs', '--status', 'failed')).toEqual([]);
    expect(await printed(['runs', '--status', 'failed'])).toBe('No run fits the filter.\n');
    expect(await listed('runs', '--limit', '1')).toHaveLength(1);
    expect(await printed(['runs', '--limit', '1'])).toContain('\n1 of 2; --limit shows more.\n');
    expect(await printed(['runs'])).not.toContain('--limit');
  });
});

describe('files', () => {
  test('lists all files, a rejected file with its reason', async () => {
    const files = await listed('files');
    expect(files.map(({ fileId }) => fileId)).toEqual([4, 3, 2, 1]);
    expect(await listed('files', '--status', 'rejected')).toMatchObject([
      { name: 'bad.csv', status: 'rejected', runId: 1, error: { code: 'FILE_HEADER' } },
    ]);
    expect(files.filter(({ status }) => status === 'loaded')).toHaveLength(
      readdirSync(path.join(demo, 'inbound')).length,
    );
  });

  test.each([
    [['--source', 'inbox'], 4],
    [['--source', 'elsewhere'], 0],
    [['--run', '1'], 4],
    [['--run', '2'], 0],
    [['--status', 'loaded', '--run', '1', '--limit', '2'], 2],
  ])('%j', async (filter, count) => {
    expect(await listed('files', ...filter)).toHaveLength(count);
  });

  test('prints a table', async () => {
    expect(await printed(['files', '--status', 'loaded', '--limit', '3'])).toMatch(
      /\n +\d +1 {2}inbox {3}settlement-2026-11-19\.csv {2}[0-9a-f]{8} {2}loaded .* 135 +1 +0 {2}2026-11-19 {2}2026-11-19\n/,
    );
  });
});

describe('discrepancies', () => {
  test('lists the most severe first, each with its record or payment', async () => {
    const all = await listed('discrepancies');
    expect(all).toHaveLength(11);
    const severities = all.map(({ severity }) => severity);
    expect(severities).toEqual([...severities].sort());
    expect(all.find(({ code }) => code === 'AMOUNT_MISMATCH')).toMatchObject({
      file: 'settlement-2026-11-19.csv',
      line: 123,
      date: '2026-11-19',
      amount: '90.00',
      currency: 'EUR',
      expected: '100.00',
      actual: '90.00',
      difference: '-10.00',
      firstSeenRun: 1,
      resolvedRun: null,
    });
    expect(all.find(({ code }) => code === 'MISSING_SETTLEMENT')).toMatchObject({
      file: null,
      line: null,
      amount: '250.00',
      date: '2026-11-09',
    });
  });

  test.each([
    [['--code', 'FX_MISMATCH'], 1],
    [['--severity', 'warning'], 2],
    [['--severity', 'info'], 0],
    [['--from', '2026-11-19'], 10],
    [['--to', '2026-11-09'], 1],
    [['--from', '2026-11-09', '--to', '2026-11-09'], 1],
    [['--run', '1'], 11],
    [['--run', '2'], 0],
    [['--open', '--limit', '3'], 3],
    [['--all'], 11],
  ])('%j', async (filter, count) => {
    const found = await listed('discrepancies', ...filter);
    expect(found.length).toBe(count);
  });

  test('lists resolved discrepancies only with --all', async () => {
    const { sql } = testDatabase.database;
    await sql.begin(async (tx) => {
      await tx`select set_config('recon.fence', token::text, true) from run_fence`;
      await tx`update discrepancies set resolved_run = 2 where code = 'FX_MISMATCH'`;
    });
    expect(await listed('discrepancies')).toHaveLength(10);
    expect(await listed('discrepancies', '--all', '--code', 'FX_MISMATCH')).toMatchObject([
      { resolvedRun: 2 },
    ]);
    expect(await printed(['discrepancies', '--all', '--code', 'FX_MISMATCH'])).toContain('by run 2');
    expect(await printed(['discrepancies', '--code', 'FX_MISMATCH'])).toBe(
      'No discrepancy fits the filter.\n',
    );
  });
});

test('payments are exported as they were imported', async () => {
  const file = path.join(folder.path, 'out.csv');
  expect(JSON.parse(await printed(['payments', 'export', 'out.csv', '--json']))).toEqual({
    file,
    written: 374,
  });
  expect(await printed(['payments', 'export'])).toContain('PaymentId;ShortId;PaymentType;');
  const again = JSON.parse(await printed(['payments', 'import', 'out.csv', '--json'])) as Row;
  expect(again).toMatchObject({ read: 374, inserted: 0, updated: 0, unchanged: 374 });
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('reports when payments cannot be written, and leaves no file', async () => {
  const { code, stderr } = await recon(['payments', 'export', 'nowhere/out.csv'], { cwd: folder.path });
  expect(code).toBe(6);
  expect(stderr).toContain('(DISK_FAILED)');
  expect((await recon(['payments', 'export', 'inbox'], { cwd: folder.path })).code).toBe(6);
});

test('reports when standard output cannot be written, not a defect', async () => {
  for (const args of [
    ['payments', 'export'],
    ['items', '--csv'],
  ]) {
    const { code, stderr } = await runCli(args, {
      cwd: folder.path,
      through: ['sh', '-c', 'exec "$0" "$@" > /dev/full'],
    });
    expect(code).toBe(6);
    expect(stderr).toContain('Could not write standard output: the disk is full (ENOSPC).');
    expect(stderr).toContain('(DISK_FULL)');
    expect(stderr).not.toContain('defect');
  }
});

test('reports the failure of what a command writes last, such as a script for the shell', async () => {
  for (const args of [['completion', 'bash'], ['--help'], ['--version']]) {
    const { code, stderr } = await runCli(args, {
      cwd: folder.path,
      through: ['sh', '-c', 'exec "$0" "$@" > /dev/full'],
    });
    expect(code, args.join(' ')).toBe(6);
    expect(stderr).toBe('recon: standard output or the log could not be written.\n');
  }
});

test('explain prints text and a JSON document', async () => {
  expect(await printed(['explain', 'settlement-2026-11-19.csv:124'])).toContain('DUPLICATE_SETTLEMENT');
  const document = JSON.parse(await printed(['explain', 'settlement-2026-11-19.csv:124', '--json'])) as Row;
  expect(document).toMatchObject({ kind: 'record' });
});
