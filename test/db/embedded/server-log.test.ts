import { appendFileSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openLog } from '../../../src/db/embedded/server-log.js';

let file: string;

beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'recon-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = path.join(folder, 'database.log');
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
