import { chmodSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { RunOutcome } from '../../src/outcome.js';
import type { EncryptedArchive } from '../../src/run/encrypt-archive.js';
import { zipOf } from '../support/zip.js';
import { announcedTotals, packedStatusesOf } from './inbox.js';
import {
  createInstallation,
  filesBelow,
  paymentsFile,
  settlementFile,
  type Installation,
} from './installation.js';

/** With `archive.encryptWith`, the files of the archive are encrypted (design 11). */

const month = ['--from', '2026-11-01', '--to', '2026-11-30'];

const [keyOf2026, keyOf2027] = ['a1'.repeat(32), 'b2'.repeat(32)];

/** The configuration with these keys, and the key for new files if there is one. */
function configure(installation: Installation, keys: Record<string, string>, encryptWith?: string): void {
  installation.write('archive-keys.json', JSON.stringify(keys));
  const key = encryptWith === undefined ? '' : `encryptWith: '${encryptWith}', `;
  installation.write(
    'recon.config.yaml',
    `archive: { ${key}keysFile: ./archive-keys.json }
sources:
  - { name: inbox, protocol: local, folder: ./inbox, minimumAgeSeconds: 0, totals: { sidecar: '{name}.totals', required: false }, filePattern: '*' }
`,
  );
}

async function install(): Promise<Installation> {
  const installation = await createInstallation();
  const payments = installation.write('payments.csv', paymentsFile(1, 2, 3, 4, 5));
  expect((await installation.recon('payments', 'import', payments)).code).toBe(0);
  return installation;
}

/** The endings of the archived files: how many are encrypted and how many are not. */
function archived({ dataDirectory }: Installation): { plain: number; encrypted: number } {
  const names = Object.keys(filesBelow(path.join(dataDirectory, 'archive')));
  const encrypted = names.filter((name) => name.endsWith('.encrypted')).length;
  return { plain: names.length - encrypted, encrypted };
}

const archiveOf = ({ dataDirectory }: Installation) => path.join(dataDirectory, 'archive');

/** Whether a text is in any file below a folder. */
const isBelow = (folder: string, text: string) =>
  Object.keys(filesBelow(folder)).some((name) => readFileSync(path.join(folder, name)).includes(text));

const doctorOf = async (installation: Installation, ...args: string[]) => {
  const { document } = await installation.json<{
    checks: { subject: string; message: string; code: string | null }[];
  }>('doctor', ...args);
  return document.checks.find(({ subject }) => subject === 'archive');
};

test('everything that reads the archive reads an encrypted one, through a change of the key, on and off', async () => {
  const installation = await install();
  const plain = settlementFile(1);
  installation.write('inbox/before.csv', plain);
  configure(installation, {});
  expect((await installation.recon('run')).code).toBe(0);
  expect(archived(installation)).toEqual({ plain: 1, encrypted: 0 });

  configure(installation, { '2026': keyOf2026 }, '2026');
  installation.write('inbox/packed.csv.gz', gzipSync(settlementFile(2)));
  installation.write(
    'inbox/both.zip',
    zipOf({ 'b.csv': settlementFile(3), 'b.csv.totals': announcedTotals(1, 'EUR;100.00') }),
  );
  const second = await installation.json<RunOutcome>('run');
  expect([second.code, packedStatusesOf(second.document)]).toEqual([
    0,
    ['before.csv duplicate', 'b.csv in both.zip loaded', 'packed.csv in packed.csv.gz loaded'],
  ]);
  // Two packed files, what is inside, and the totals.
  expect(archived(installation)).toEqual({ plain: 1, encrypted: 5 });
  expect(isBelow(archiveOf(installation), 'STL-1')).toBe(true);
  for (const text of ['STL-2', 'STL-3']) expect(isBelow(archiveOf(installation), text)).toBe(false);
  expect(readdirSync(path.join(installation.dataDirectory, 'incoming'))).toEqual([]);

  configure(installation, { '2026': keyOf2026, '2027': keyOf2027 }, '2027');
  installation.write('inbox/later.csv', settlementFile(4));
  expect((await installation.recon('run')).code).toBe(0);
  configure(installation, { '2026': keyOf2026, '2027': keyOf2027 });
  installation.write('inbox/last.csv', settlementFile(5));
  expect((await installation.recon('run')).code).toBe(0);
  expect(archived(installation)).toEqual({ plain: 2, encrypted: 6 });

  const rerun = await installation.json<RunOutcome>('rerun', ...month);
  expect([rerun.code, rerun.document.matching.MATCHED]).toEqual([0, 5]);
  const reconciled = rerun.document.reports?.reconciled ?? [];
  expect(reconciled.map((file) => readFileSync(file, 'utf8').includes('STL-'))).toEqual(Array(5).fill(true));
  expect((await installation.recon('report', '--run', '2')).code).toBe(0);
  const doctor = await doctorOf(installation, '--reports');
  expect(doctor).toMatchObject({
    code: null,
    message:
      '8 files, all unchanged by SHA-256; 5 encrypted with the key 2026; 1 encrypted with the key 2027',
  });

  // The retention sees encrypted files like others.
  const purged = await installation.json<{ kinds: { kind: string; before: string | null }[] }>(
    'purge',
    '--dry-run',
  );
  expect(purged.code).toBe(0);
});

test('without the key nothing is done to the files that need it, and the rest of the work goes on', async () => {
  const installation = await install();
  configure(installation, { '2026': keyOf2026 }, '2026');
  const rejected = settlementFile({ Amount: 'x' });
  installation.write('inbox/good.csv', settlementFile(1));
  installation.write('inbox/rejected.csv', rejected);
  expect((await installation.recon('run')).code).toBe(1);
  const reports = () => filesBelow(path.join(installation.dataDirectory, 'reports'));
  const before = { reports: reports(), archive: filesBelow(archiveOf(installation)) };

  for (const [keys, why] of [
    [{}, 'there is no key of that name'],
    [{ '2026': keyOf2027 }, 'the key of that name is another one'],
  ] as const) {
    configure(installation, keys);
    const report = await installation.json<{ error: { code: string; message: string } }>(
      'report',
      '--run',
      '1',
    );
    expect([report.code, report.document.error.code]).toEqual([2, 'ARCHIVE_KEY_MISSING']);
    expect(report.document.error.message).toContain(why);
    // The rejected file would be tried again from the archive.
    const rerun = await installation.json<RunOutcome>('rerun', ...month);
    expect([rerun.code, rerun.document.status, rerun.document.error?.code]).toEqual([
      2,
      'failed',
      'ARCHIVE_KEY_MISSING',
    ]);
    expect(await doctorOf(installation)).toMatchObject({ code: 'ARCHIVE_KEY_MISSING' });
    expect({ reports: reports(), archive: filesBelow(archiveOf(installation)) }).toEqual(before);
  }
  const failed = await installation.recon('rerun', ...month, '--quiet');
  expect(failed.stderr).toMatch(
    /run \d+ failed: .*\nWrite the right key into archive\.keysFile.* What it had stored is kept\. \(ARCHIVE_KEY_MISSING\)\n$/,
  );
  installation.write('inbox/new.csv', settlementFile(2));
  const next = await installation.json<RunOutcome>('run');
  expect(next.document.files.map(({ name, status }) => `${name} ${status}`)).toContain('new.csv loaded');
  const files = await installation.recon('files');
  expect(files.stdout).toMatch(/rejected\.csv +[0-9a-f]{8} +rejected/);

  configure(installation, { '2026': keyOf2026 });
  expect((await installation.recon('report', '--run', '1')).code).toBe(0);
});

test('archive read says that bytes are damaged or missing, and leaves no file with wrong bytes', async () => {
  const installation = await install();
  configure(installation, {});
  installation.write('inbox/a.csv', settlementFile(1, 2, 3));
  expect((await installation.recon('run')).code).toBe(0);
  const [name = ''] = Object.keys(filesBelow(archiveOf(installation)));
  const file = path.join(archiveOf(installation), name);
  const changed = readFileSync(file);
  changed.writeUInt8(changed.readUInt8(300) ^ 1, 300);
  chmodSync(file, 0o600);
  writeFileSync(file, changed);
  for (const target of [[], ['copy.csv']]) {
    const damaged = await installation.recon('archive', 'read', 'a.csv', ...target);
    expect(damaged.code).toBe(6);
    expect(damaged.stderr).toMatch(
      /archived bytes of a\.csv .* are damaged: they are not those .*\n.*backup.*\(DISK_FAILED\)/,
    );
  }
  expect(readdirSync(installation.directory)).not.toContain('copy.csv');
  rmSync(file);
  const missing = await installation.recon('archive', 'read', 'a.csv');
  expect([missing.code, missing.stdout]).toEqual([6, '']);
  expect(missing.stderr).toMatch(/The bytes of a\.csv .* are missing in the archive\.\n.*\(DISK_FAILED\)/);
});

test('a damaged or cut file is found before anything is reported from it', async () => {
  const installation = await install();
  configure(installation, { '2026': keyOf2026 }, '2026');
  installation.write('inbox/a.csv', settlementFile(1, 2, 3));
  expect((await installation.recon('run')).code).toBe(0);
  const [name = ''] = Object.keys(filesBelow(archiveOf(installation)));
  const file = path.join(archiveOf(installation), name);
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  changed.writeUInt8(changed.readUInt8(300) ^ 1, 300);
  const reports = () => filesBelow(path.join(installation.dataDirectory, 'reports'));
  const before = reports();
  for (const damaged of [changed, whole.subarray(0, -1)]) {
    writeFileSync(file, damaged);
    const report = await installation.json<{ error: { code: string; message: string } }>(
      'report',
      '--run',
      '1',
    );
    expect([report.code, report.document.error.code]).toEqual([6, 'DISK_FAILED']);
    expect(report.document.error.message).toContain(file);
    expect(report.document.error.message).toContain('restore it from a backup');
    expect(reports()).toEqual(before);
    expect(await doctorOf(installation)).toMatchObject({ code: 'DISK_FAILED' });
  }
  writeFileSync(file, whole);
  expect((await installation.recon('report', '--run', '1')).code).toBe(0);
});

test('what is there already can be encrypted, and a file can be written as it was received', async () => {
  const installation = await install();
  configure(installation, {});
  const [first, second] = [settlementFile(1), settlementFile(2)];
  installation.write('inbox/a.csv', first);
  installation.write('inbox/b.csv', second);
  expect((await installation.recon('run')).code).toBe(0);
  expect((await installation.recon('archive', 'encrypt')).code).toBe(2);
  const encrypt = async (...args: string[]) => {
    const { code, document } = await installation.json<EncryptedArchive>('archive', 'encrypt', ...args);
    return [code, document.encrypted, document.unchanged, document.problems.map((problem) => problem.code)];
  };

  configure(installation, { '2026': keyOf2026 }, '2026');
  expect([await encrypt('--dry-run'), archived(installation)]).toEqual([
    [0, 2, 0, []],
    { plain: 2, encrypted: 0 },
  ]);
  const [damaged = ''] = Object.keys(filesBelow(archiveOf(installation)));
  const file = path.join(archiveOf(installation), damaged);
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(1));
  expect([await encrypt(), archived(installation)]).toEqual([
    [6, 1, 0, ['DISK_FAILED']],
    { plain: 1, encrypted: 1 },
  ]);
  writeFileSync(file, whole);
  utimesSync(file, new Date(0), new Date(1_000_000_000_000));
  expect([await encrypt(), archived(installation)]).toEqual([[0, 1, 1, []], { plain: 0, encrypted: 2 }]);
  expect(statSync(`${file}.encrypted`).mtimeMs).toBe(1_000_000_000_000);

  // A new key, after which nobody needs the old one.
  configure(installation, { '2026': keyOf2026, '2027': keyOf2027 }, '2027');
  expect(await encrypt()).toEqual([0, 2, 0, []]);
  configure(installation, { '2027': keyOf2027 }, '2027');
  expect(await encrypt()).toEqual([0, 0, 2, []]);
  expect(await doctorOf(installation, '--reports')).toMatchObject({ code: null });
  expect((await installation.recon('archive', 'read', 'a.csv')).stdout).toBe(first);
  expect((await installation.recon('archive', 'read', 'b.csv', 'b.out')).stdout).toContain('bytes to b.out.');
  expect(readFileSync(path.join(installation.directory, 'b.out'), 'utf8')).toBe(second);
  expect((await installation.recon('archive', 'read', '0'.repeat(64))).code).toBe(2);

  configure(installation, { '2026': keyOf2026 }, '2026');
  expect(await encrypt()).toEqual([2, 0, 0, ['ARCHIVE_KEY_MISSING', 'ARCHIVE_KEY_MISSING']]);

  const audited = await installation.json<{ details: unknown }[]>(
    'audit',
    'list',
    '--action',
    'archive.encrypted',
  );
  expect(audited.document.map(({ details }) => details)).toEqual([
    { encryptWith: '2027', encrypted: 2 },
    { encryptWith: '2026', encrypted: 1 },
    { encryptWith: '2026', encrypted: 1 },
  ]);
});

test('settings that do not fit are refused before anything is received, and no message has a key', async () => {
  const installation = await createInstallation();
  const refused = async (text: string, keys: string) => {
    installation.write('recon.config.yaml', text);
    installation.write('keys.json', keys);
    const { code, stderr } = await installation.recon('runs');
    expect(code).toBe(2);
    expect(stderr).not.toContain(keyOf2026);
    return stderr;
  };
  expect(await refused("archive: { encryptWith: '2026' }", '')).toContain(
    'archive.encryptWith: needs archive.keysFile or RECON_ARCHIVE_KEYS',
  );
  const both = "archive: { encryptWith: '2026', keysFile: keys.json }";
  expect(await refused(both, JSON.stringify({ '2027': keyOf2026 }))).toContain(
    'archive.encryptWith: names no key of archive.keysFile',
  );
  // Every object of JavaScript has a property of this name.
  expect(await refused(both.replace('2026', 'constructor'), JSON.stringify({ '2026': keyOf2026 }))).toContain(
    'archive.encryptWith: names no key of archive.keysFile',
  );
  expect(await refused(both, JSON.stringify({ '2026': 'short' }))).toContain('64 hexadecimal digits');
  expect(await refused(both, '{')).toContain('64 hexadecimal digits');
});
