import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { keepLogShort } from '../../../src/db/embedded/keep-log-short.js';
import { emptyLog, openLog } from '../../../src/db/embedded/server-log.js';
import { folderForEachTest } from '../../support/test-folder.js';

const folder = folderForEachTest();
let file: string;

beforeEach(() => {
  file = path.join(folder.path, 'database.log');
});

const longest = 8 * 1024 * 1024;
const modeOf = (name: string) => statSync(name).mode & 0o777;

test('a log of more than 8 MB is put aside when the server starts, in place of the one before', () => {
  writeFileSync(`${file}.1`, 'older');
  writeFileSync(file, Buffer.alloc(longest));
  openLog(file, undefined).close();
  expect([statSync(file).size, statSync(`${file}.1`).size]).toEqual([longest, 5]);
  appendFileSync(file, '.');
  openLog(file, undefined).close();
  expect([statSync(file).size, statSync(`${file}.1`).size]).toEqual([0, longest + 1]);
});

test('only the owner can read it, and what went wrong is what was written since it was opened', () => {
  writeFileSync(file, 'FATAL:  of yesterday\n', { mode: 0o644 });
  const log = openLog(file, undefined);
  expect(modeOf(file)).toBe(0o600);
  appendFileSync(file, 'LOG:  starting\nFATAL:  the database system is starting up\nPANIC:  no space\n');
  expect(log.written()).toBe('PANIC:  no space');
  log.close();
});

test('a link is not followed', () => {
  symlinkSync('/etc/passwd', file);
  expect(() => openLog(file, undefined)).toThrow('is a link, has two names or belongs to another user');
});

test('a log that is being written is copied and emptied, and its writer continues at the new beginning', () => {
  writeFileSync(`${file}.1`, 'older');
  const log = openLog(file, undefined);
  const write = (text: string) =>
    execFileSync('echo', [text], { stdio: ['ignore', log.descriptor, log.descriptor] });
  write('of yesterday');
  emptyLog(file, undefined);
  write('of today');
  expect([readFileSync(`${file}.1`, 'utf8'), readFileSync(file, 'utf8')]).toEqual([
    'of yesterday\n',
    'of today\n',
  ]);
  expect(modeOf(`${file}.1`)).toBe(0o600);
  log.close();
});

test('a log that cannot be copied stays as it is', () => {
  writeFileSync(file, 'of yesterday\n');
  mkdirSync(`${file}.1`);
  expect(() => emptyLog(file, undefined)).toThrow('EISDIR');
  expect(readFileSync(file, 'utf8')).toBe('of yesterday\n');
  expect(existsSync(`${file}.1.new`)).toBe(false);
});

test('links are not followed when a log is emptied', () => {
  const secret = `${file}.secret`;
  writeFileSync(secret, 'keep');
  symlinkSync(secret, file);
  expect(() => emptyLog(file, undefined)).toThrow('is a link, has two names or belongs to another user');
  rmSync(file);
  writeFileSync(file, 'of yesterday\n');
  symlinkSync(secret, `${file}.1`);
  symlinkSync(secret, `${file}.1.new`);
  emptyLog(file, undefined);
  expect([readFileSync(secret, 'utf8'), readFileSync(`${file}.1`, 'utf8')]).toEqual([
    'keep',
    'of yesterday\n',
  ]);
});

test('it is looked at again and again, and put aside once it is longer than 8 MB', async () => {
  writeFileSync(file, Buffer.alloc(longest));
  const stop = keepLogShort({ file, lock: `${file}.lock`, account: undefined }, undefined, 10);
  onTestFinished(stop);
  await sleep(50);
  expect(existsSync(`${file}.1`)).toBe(false);
  appendFileSync(file, '.');
  await expect.poll(() => existsSync(`${file}.1`) && statSync(file).size, { timeout: 20_000 }).toBe(0);
  expect(statSync(`${file}.1`).size).toBe(longest + 1);
});
