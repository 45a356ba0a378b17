import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { paymentsFile, settlementFile } from '../cli/installation.js';
import { runCli } from '../support/cli.js';
import { needs } from '../support/needs.js';
import { ordinaryAccount } from '../support/ordinary-account.js';
import { folderForEachTest } from '../support/test-folder.js';

/**
 * Root runs recon once on the data directory of an ordinary account: that account can go on afterwards. And where
 * something was left that it may not read, this is reported, and not that something is missing or damaged.
 */
const account = ordinaryAccount();
const [uid, gid] = typeof account === 'string' ? [0, 0] : [account.uid, account.gid];
const asAccount = () => (typeof account === 'string' ? [] : account.through);
const need = needs.account();

const directory = folderForEachTest();
let data: string;

beforeEach(() => {
  chmodSync(directory.path, 0o755);
  data = path.join(directory.path, 'data');
});

function give(name: string, text: string): void {
  writeFileSync(path.join(directory.path, name), text);
}

const recon = (through: readonly string[], ...args: string[]) =>
  runCli(args, {
    cwd: directory.path,
    through,
    timeoutMs: 120_000,
    env: { RECON_DATA_DIR: data, HOME: directory.path },
  });

const run = (through: readonly string[], file: string) =>
  recon(through, 'run', '--file', file, '--as-of', '2026-11-20', '--json');

describe.runIf(need.isMet)('root once on the data directory of an ordinary account', need.orSkipped, () => {
  beforeEach(async () => {
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, uid, gid);
    give('payments.csv', paymentsFile(1, 2, 3));
    give('first.csv', settlementFile(1));
    give('second.csv', settlementFile(2));
    const imported = await recon(asAccount(), 'payments', 'import', 'payments.csv');
    expect(imported.code, imported.stderr).toBe(0);
    const byRoot = await run([], 'first.csv');
    expect(byRoot.code, byRoot.stderr + byRoot.stdout).toBe(0);
  }, 240_000);

  test('leaves everything to the account, whose next run succeeds', { timeout: 240_000 }, async () => {
    for (const top of ['archive', 'incoming', 'reports']) {
      const below = readdirSync(path.join(data, top), { recursive: true, encoding: 'utf8' });
      for (const name of ['', ...below])
        expect(lstatSync(path.join(data, top, name)).uid, path.join(top, name)).toBe(uid);
    }
    const next = await run(asAccount(), 'second.csv');
    expect(next.code, next.stderr + next.stdout).toBe(0);
    const doctor = await recon(asAccount(), 'doctor', '--reports');
    expect(doctor.code, doctor.stdout).toBe(0);
  });

  test('what the account may not read is reported as such, with exit 6', { timeout: 240_000 }, async () => {
    for (const top of ['archive', 'incoming', 'reports']) {
      chownSync(path.join(data, top), 0, 0);
      chmodSync(path.join(data, top), 0o700);
    }
    const refused = await run(asAccount(), 'second.csv');
    expect(refused.code, refused.stderr).toBe(6);
    expect(refused.stdout).toMatch(/permission denied \(EACCES: .*belongs to user 0 \(mode 0700\)/);
    const doctor = await recon(asAccount(), 'doctor', '--reports');
    expect(doctor.code, doctor.stdout).toBe(6);
    expect(doctor.stdout).toMatch(/archive: .*permission denied \(EACCES/);
    expect(doctor.stdout).not.toMatch(/is missing|was changed|damaged|defect/);
    // Root gives the folders back without being asked.
    expect((await run([], 'second.csv')).code).toBe(0);
    expect((await run(asAccount(), 'first.csv')).code).toBe(0);
  });
});
