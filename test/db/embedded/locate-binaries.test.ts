import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { locateBinaries, stageBinaries } from '../../../src/db/embedded/locate-binaries.js';
import { runProgram } from '../../../src/db/embedded/run-program.js';
import { folderForEachTest } from '../../support/test-folder.js';

const directory = folderForEachTest();

test('a copy is whole and starts, also from an installation without library links', async () => {
  const installed = await locateBinaries(directory.path, undefined);
  const bare = path.join(directory.path, 'bare');
  cpSync(installed.directory, path.join(bare, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !/\.so(\.\d+)?$/.test(file) || !/lib(pq|ic)/.test(file),
  });
  expect(existsSync(path.join(bare, 'native/lib/libpq.so.5'))).toBe(false);
  const staged = await stageBinaries({ ...installed, directory: path.join(bare, 'native') }, directory.path);
  expect(staged.directory).toBe(path.join(directory.path, `postgresql-${installed.version}`, 'native'));
  const end = await runProgram(path.join(staged.directory, 'bin/postgres'), ['--version'], {
    account: undefined,
    cwd: '/',
  });
  expect(end).toMatchObject({ code: 0, output: expect.stringContaining('PostgreSQL') as string });
  expect(await stageBinaries(installed, directory.path)).toEqual(staged);
});
