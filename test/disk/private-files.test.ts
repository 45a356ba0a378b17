import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimFolder, createFile, folderModeFor, makeFolder } from '../../src/disk/private-files.js';
import { needs } from '../support/needs.js';
import { folderForEachTest, folderForThisTest } from '../support/test-folder.js';

const procfs = needs.procfs();
const root = needs.root();
const directory = folderForEachTest();
let umask: number;
beforeEach(() => {
  umask = process.umask(0o022);
});
afterEach(() => {
  process.umask(umask);
});

const at = (...names: string[]) => path.join(directory.path, ...names);
const modeOf = (file: string) => (statSync(file).mode & 0o7777).toString(8);

async function create(name: string, creation?: Parameters<typeof createFile>[1]): Promise<string> {
  await (await createFile(at(name), creation)).close();
  return at(name);
}

describe.each([0o000, 0o022, 0o077, 0o277])('with umask %o', (mask) => {
  beforeEach(() => {
    process.umask(mask);
  });

  test('a file is for its owner alone, or exactly as wide as asked', async () => {
    expect(modeOf(await create('private'))).toBe('600');
    expect(modeOf(await create('shared', { mode: 0o640 }))).toBe('640');
  });

  test('a folder is for its owner alone, those above it too, or exactly as wide as asked', async () => {
    expect(await makeFolder(at('a/b'))).toBe(at('a'));
    expect([modeOf(at('a')), modeOf(at('a/b'))]).toEqual(['700', '700']);
    await makeFolder(at('shared'), { mode: 0o750 });
    expect(modeOf(at('shared'))).toBe('750');
  });
});

test.each([
  [0o600, 0o700],
  [0o640, 0o750],
  [0o644, 0o755],
  [0o660, 0o770],
])('whoever may read files of mode %o may enter their folder: %o', (file, folder) => {
  expect(folderModeFor(file)).toBe(folder);
});

describe('what exists already', () => {
  test('a file is not replaced, and a link is not followed', async () => {
    writeFileSync(at('file'), 'kept');
    symlinkSync(at('elsewhere'), at('link'));
    await expect(createFile(at('file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(createFile(at('link'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test('a folder that was made keeps its mode; one that is claimed gets the mode asked for', async () => {
    mkdirSync(at('folder'));
    chmodSync(at('folder'), 0o2777);
    expect(await makeFolder(at('folder'))).toBeUndefined();
    expect(modeOf(at('folder'))).toBe('2777');
    expect(await claimFolder(at('folder'))).toBeUndefined();
    // The setgid bit stays: it decides which group may read what is shared.
    expect(modeOf(at('folder'))).toBe('2700');
  });

  test('a folder behind a link is used and left as it is', async () => {
    mkdirSync(at('elsewhere'), { mode: 0o755 });
    chmodSync(at('elsewhere'), 0o755);
    symlinkSync(at('elsewhere'), at('link'));
    expect(await claimFolder(at('link'))).toBeUndefined();
    expect(modeOf(at('elsewhere'))).toBe('755');
  });

  test('a file in the place of a folder is refused', async () => {
    writeFileSync(at('file'), '');
    await expect(makeFolder(at('file'))).rejects.toMatchObject({ code: 'EEXIST' });
  });
});

// There, the system answers that the folder itself is missing, although its parent exists.
test.skipIf(!procfs.isMet)('a folder in /proc is refused', procfs.orSkipped, async () => {
  await expect(makeFolder('/proc/recon/data')).rejects.toMatchObject({ code: 'ENOENT' });
});

describe.runIf(root.isMet)('as root', root.orSkipped, () => {
  const [someone, group] = [12_345, 23_456];
  const ownerOf = (file: string) => {
    const { uid, gid } = statSync(file);
    return [uid, gid];
  };
  beforeEach(() => chownSync(directory.path, someone, group));

  test('what is created belongs to the owner of the folder, unless it is to belong to the account itself', async () => {
    expect(ownerOf(await create('file'))).toEqual([someone, group]);
    await makeFolder(at('folder'));
    expect(ownerOf(at('folder'))).toEqual([someone, group]);
    await makeFolder(at('own'), { owner: 'account' });
    expect(ownerOf(at('own'))[0]).toBe(0);
    expect(ownerOf(await create('own-file', { owner: 'account' }))[0]).toBe(0);
  });

  test('a folder that an earlier run of root kept for itself is given back', async () => {
    mkdirSync(at('archive'));
    expect(ownerOf(at('archive'))[0]).toBe(0);
    await claimFolder(at('archive'));
    expect(ownerOf(at('archive'))).toEqual([someone, group]);
  });

  test('a folder behind a link is never given away', async () => {
    const outside = folderForThisTest();
    symlinkSync(outside, at('archive'));
    await claimFolder(at('archive'));
    expect(ownerOf(outside)[0]).toBe(0);
  });
});
