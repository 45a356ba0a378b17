import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import { filesBelow, paymentsFile, settlementFile } from '../cli/installation.js';
import { recon } from '../cli/recon.js';
import { folderForThisTest } from '../support/test-folder.js';

/** What the runbook says about a backup of an installation with the embedded database. */

interface Listed {
  readonly discrepancyId: string;
}

test('a cold copy of the data directory is a backup: restored, everything is proved whole and runs go on', async () => {
  const directory = folderForThisTest();
  const [data, backup] = [path.join(directory, 'data'), path.join(directory, 'backup')];
  const json = async <T>(...args: string[]): Promise<T> => {
    const environment = { RECON_DATA_DIR: data };
    const ended = await recon([...args, '--json'], { cwd: directory, environment });
    expect([args, ended.code, ended.code === 0 ? '' : ended.stdout]).toEqual([args, 0, '']);
    return JSON.parse(ended.stdout) as T;
  };
  const write = (name: string, text: string) => {
    writeFileSync(path.join(directory, name), text);
    return name;
  };
  const copy = (from: string, to: string) =>
    expect(spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  // As of a fixed day: later, the settlement of payment 2 would be missing until the second file.
  const run = (...files: readonly string[]) =>
    json<RunOutcome>('run', '--as-of', '2026-11-20', ...files.flatMap((file) => ['--file', file]));
  const ids = async () => (await json<Listed[]>('discrepancies')).map(({ discrepancyId }) => discrepancyId);

  await json('payments', 'import', write('payments.csv', paymentsFile(1, 2)));
  await run(write('first.csv', settlementFile(1, 3)));
  await json('decide', 'first.csv:3', '--accept', '--reason', 'agreed', '--by', 'anna');
  const before = await ids();
  const audit = await json<{ head: unknown }>('audit', 'verify');
  // The runbook: only while the server is stopped.
  expect(existsSync(path.join(data, 'database/postmaster.pid'))).toBe(false);
  copy(data, backup);

  // Later, and lost with the disk.
  await run(write('second.csv', settlementFile(2, 4)));
  const lost = await ids();
  expect(lost).toHaveLength(before.length + 1);
  rmSync(data, { recursive: true });
  copy(backup, data);
  const reports = filesBelow(path.join(data, 'reports'));
  expect(Object.keys(reports)).not.toEqual([]);

  const { checks } = await json<{ checks: { subject: string; ok: boolean }[] }>('doctor', '--reports');
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(checks.map(({ subject }) => subject)).toContain('reports run-000001');
  expect(await json('audit', 'verify')).toEqual(audit);
  expect(await ids()).toEqual(before);

  renameSync(path.join(data, 'reports'), path.join(directory, 'reports-before'));
  const { files } = await run('first.csv', 'second.csv');
  expect(files.map(({ name, status }) => [name, status])).toEqual([
    ['first.csv', 'duplicate'],
    ['second.csv', 'loaded'],
  ]);
  expect(await ids()).toEqual(lost);
  expect(filesBelow(path.join(directory, 'reports-before'))).toEqual(reports);
});
