import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { withClusterLock } from '../../../src/db/embedded/cluster-lock.js';
import { processIdentity } from '../../../src/db/embedded/process-identity.js';
import { needs } from '../../support/needs.js';
import { folderForEachTest } from '../../support/test-folder.js';

const procfs = needs.procfs();
const parent = folderForEachTest();
let folder: string;
beforeEach(() => {
  folder = path.join(parent.path, 'lock');
});

test('one process at a time, and every process gets its turn', async () => {
  let inside = 0;
  let most = 0;
  const done: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      withClusterLock(folder, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setTimeout(resolve, 2));
        inside -= 1;
        done.push(index);
      }),
    ),
  );
  expect(most).toBe(1);
  expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(readdirSync(folder)).toHaveLength(1);
});

test.skipIf(!procfs.isMet)('a folder below /proc is refused at once', procfs.orSkipped, async () => {
  await expect(withClusterLock('/proc/recon', () => Promise.resolve(1))).rejects.toThrow('ENOENT');
});

test('work that fails releases the lock', async () => {
  await expect(withClusterLock(folder, () => Promise.reject(new Error('own')))).rejects.toThrow('own');
  expect(await withClusterLock(folder, () => Promise.resolve(1))).toBe(1);
});

test.each([
  ['a process that has ended', '999999999 boot 1'],
  ['an earlier process of the same number', `${process.pid} boot 1`],
])('the lock of %s is taken over', async (_whose, holder) => {
  mkdirSync(folder);
  writeFileSync(path.join(folder, '7'), holder);
  expect(await withClusterLock(folder, () => Promise.resolve(readdirSync(folder)))).toEqual(['8']);
});

test('waits for the lock of a running process', async () => {
  const holder = spawn('sleep', ['1'], { stdio: 'ignore' });
  mkdirSync(folder);
  writeFileSync(path.join(folder, '1'), processIdentity(holder.pid ?? 0) ?? '');
  const begun = Date.now();
  await withClusterLock(folder, () => Promise.resolve());
  expect(Date.now() - begun).toBeGreaterThan(500);
});

test.each([
  ['empty', ''],
  ['not readable', '\0\0\0\0'],
])('a lock that a crash of the machine left %s is taken over after a second', async (_how, content) => {
  mkdirSync(folder);
  writeFileSync(path.join(folder, '7'), content);
  const begun = Date.now();
  expect(await withClusterLock(folder, () => Promise.resolve(readdirSync(folder)))).toEqual(['8']);
  expect(Date.now() - begun).toBeLessThan(20_000);
});

test('a released lock names the word alone, and a half released one is free', async () => {
  await withClusterLock(folder, () => Promise.resolve());
  expect(readFileSync(path.join(folder, '1'), 'utf8')).toBe('released');
  writeFileSync(path.join(folder, '1'), `released${processIdentity(process.pid) ?? ''}`);
  expect(await withClusterLock(folder, () => Promise.resolve(readdirSync(folder)))).toEqual(['2']);
});

test('while the lock is released, it never names nobody', async () => {
  const seen = new Set<string>();
  let isDone = false;
  const look = async () => {
    while (!isDone) {
      for (const name of readdirSync(folder).filter((each) => /^\d+$/.test(each))) {
        try {
          seen.add(readFileSync(path.join(folder, name), 'utf8'));
        } catch {
          // The next holder has removed it.
        }
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  mkdirSync(folder);
  const looking = look();
  for (let turn = 0; turn < 100; turn += 1) await withClusterLock(folder, () => Promise.resolve());
  isDone = true;
  await looking;
  expect([...seen].filter((content) => content === '')).toEqual([]);
});
