import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { locateBinaries, stageBinaries } from '../../../src/db/embedded/locate-binaries.js';
import { runProgram } from '../../../src/db/embedded/run-program.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'recon-binaries-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a copy is whole and starts, also from an installation without library links', async () => {
  const installed = await locateBinaries(directory, undefined);
  const bare = path.join(directory, 'bare');
  cpSync(installed.directory, path.join(bare, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !/\.so(\.\d+)?$/.test(file) || !/lib(pq|ic)/.test(file),
  });
  expect(existsSync(path.join(bare, 'native/lib/libpq.so.5'))).toBe(false);
  const staged = await stageBinaries({ ...installed, directory: path.join(bare, 'native') }, directory);
  expect(staged.directory).toBe(path.join(directory, `postgresql-${installed.version}`, 'native'));
  const end = await runProgram(path.join(staged.directory, 'bin/postgres'), ['--version'], {
    account: undefined,
    cwd: '/',
  });
  expect(end).toMatchObject({ code: 0, output: expect.stringContaining('PostgreSQL') as string });
  expect(await stageBinaries(installed, directory)).toEqual(staged);
});
