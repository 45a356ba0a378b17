import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isDenied, isMissing, onDisk, systemCodeOf, toDiskError } from '../../src/disk/disk-errors.js';
import { ReconError } from '../../src/errors.js';
import { folderForEachTest } from '../support/test-folder.js';

const directory = folderForEachTest();

const failure = (code: string, more: object = {}) =>
  Object.assign(new Error(`${code}: the system's words`), { code, syscall: 'write', ...more });

describe('a failure of the disk', () => {
  test.each([
    ['ENOSPC', 'DISK_FULL'],
    ['EDQUOT', 'DISK_FULL'],
    ['EIO', 'DISK_FAILED'],
    ['EROFS', 'DISK_FAILED'],
    ['EACCES', 'DISK_FAILED'],
    ['EPERM', 'DISK_FAILED'],
    ['EMFILE', 'LIMIT_REACHED'],
    ['ENFILE', 'LIMIT_REACHED'],
    ['EXDEV', 'DISK_FAILED'],
    ['ENOTEMPTY', 'DISK_FAILED'],
    ['EBUSY', 'DISK_FAILED'],
  ])('F24 F25 %s is %s, which ends the run', (code, expected) => {
    expect(toDiskError('store a.csv', failure(code))).toMatchObject({ code: expected, exitCode: 6 });
  });

  test('says what failed, why, where, and what was kept', () => {
    const thrown = failure('EROFS', { path: '/data/a', dest: '/data/b' });
    expect(toDiskError('store a.csv', thrown, 'Nothing of it was kept.')?.message).toBe(
      'Could not store a.csv: the file system is read-only (EROFS: /data/a -> /data/b). Nothing of it was kept.',
    );
  });

  test('keeps the failure itself as its cause', () => {
    const thrown = failure('EIO');
    expect(toDiskError('store a.csv', thrown)?.cause).toBe(thrown);
  });
});

describe('a path that does not fit', () => {
  const messageOf = (work: () => Promise<unknown>) =>
    onDisk('write it', work).then(
      () => 'done',
      (thrown: unknown) => (thrown instanceof ReconError ? thrown.message : ''),
    );

  test('names the first folder of the path that does not exist', async () => {
    const file = path.join(directory.path, 'out', 'of', 'a.csv');
    const folder = path.join(directory.path, 'out');
    const sentence = `Could not write it: the folder ${folder} does not exist (ENOENT: `;
    expect(await messageOf(() => writeFile(file, ''))).toBe(`${sentence}${file}).`);
    writeFileSync(path.join(directory.path, 'a.csv'), '');
    expect(await messageOf(() => rename(path.join(directory.path, 'a.csv'), file))).toContain(sentence);
  });

  test('says so if only the file does not exist', async () => {
    const file = path.join(directory.path, 'a.csv');
    expect(await messageOf(() => readFile(file))).toBe(
      `Could not write it: it does not exist (ENOENT: ${file}).`,
    );
  });

  test('says that a file is where a folder should be', async () => {
    const file = path.join(directory.path, 'reports');
    writeFileSync(file, '');
    const sentence = 'there is a file of that name, and not a folder (EEXIST: ';
    expect(await messageOf(() => mkdir(file))).toContain(sentence);
    expect(await messageOf(() => mkdir(file, { recursive: true }))).toContain(sentence);
  });
});

describe('a refused permission', () => {
  const denied = (syscall: string, at: string) =>
    toDiskError('read it', failure('EACCES', { syscall, path: at }))?.message;
  const account = `recon runs as user ${process.geteuid?.() ?? ''}`;

  test('names the account, and the owner and mode of the file', () => {
    const file = path.join(directory.path, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o400);
    expect(denied('open', file)).toBe(
      `Could not read it: permission denied (EACCES: ${file}). ${account}; ${file} belongs to user ${process.geteuid?.() ?? ''} (mode 0400).`,
    );
  });

  test('names the folder where the folder decides, or where the file cannot be seen', () => {
    writeFileSync(path.join(directory.path, 'file'), '');
    chmodSync(directory.path, 0o500);
    const named = `${directory.path} belongs to user ${process.geteuid?.() ?? ''} (mode 0500).`;
    expect(denied('unlink', path.join(directory.path, 'file'))).toContain(named);
    expect(denied('open', path.join(directory.path, 'absent', 'file'))).toContain(named);
  });
});

test.each([
  ['a mistake of the program', new TypeError('a mistake of ours')],
  ['a lost connection', failure('ECONNRESET', { syscall: 'read' })],
  ['an error that is in words already', new ReconError('FILE_EMPTY', 'a.csv is empty.')],
  ['something that is not an error', 'EACCES'],
])('%s is passed on as it is', async (_what, thrown) => {
  expect(toDiskError('store a.csv', thrown)).toBeUndefined();
  // Whatever is thrown must come out again, errors or not.
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
  await expect(onDisk('store a.csv', () => Promise.reject(thrown))).rejects.toBe(thrown);
});

test('real failures are recognised', async () => {
  mkdirSync(path.join(directory.path, 'folder'));
  const thrownBy = (work: Promise<unknown>) => work.then(() => undefined).catch((thrown: unknown) => thrown);
  const missing = await thrownBy(readFile(path.join(directory.path, 'absent')));
  expect([isMissing(missing), isDenied(missing), systemCodeOf(missing)]).toEqual([true, false, 'ENOENT']);
  const inTheWay = await thrownBy(mkdir(path.join(directory.path, 'folder')));
  expect(systemCodeOf(inTheWay)).toBe('EEXIST');
  const moved = await thrownBy(rename(path.join(directory.path, 'absent'), path.join(directory.path, 'b')));
  expect(toDiskError('move it', moved)?.message).toContain(
    `${path.join(directory.path, 'absent')} -> ${path.join(directory.path, 'b')}`,
  );
});
