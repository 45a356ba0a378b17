import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync, chmodSync, appendFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { archivePath } from '../../support/archive.js';
import { receiveLocalPath } from '../../../src/intake/fetch/receive-local-path.js';
import { compiledChild } from '../../support/compiled-child.js';
import { all, needs } from '../../support/needs.js';
import { FetchWorld, describeFile, failureOf, sha256Of } from '../../support/fetch-world.js';

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

const isRoot = process.getuid?.() === 0;
const [tmpfs, strace] = [all(needs.root(), needs.tmpfs()), needs.strace()];
const inWorld = (name: string) => path.join(world.remote, name);

describe('a file of this machine, named on the command line', () => {
  test('any name and any age is taken; the file stays, and is read again next time', async () => {
    // Beside the last one, no file of announced totals has room for its name.
    for (const name of ['settlement.txt', '.hidden', 'young.csv.part', 'line\nbreak', 'x'.repeat(255)]) {
      writeFileSync(inWorld(name), `content of ${name}`);
      const received = await receiveLocalPath(inWorld(name), world.dependencies());
      expect(received).toMatchObject({
        status: 'received',
        name,
        remotePath: inWorld(name),
        sha256: sha256Of(`content of ${name}`),
        stable: false,
      });
      if (received.status === 'received') await received.dispose();
      expect(readFileSync(inWorld(name), 'utf8')).toBe(`content of ${name}`);
    }
  });

  test('a link named on the command line is followed', async () => {
    const sha256 = world.put('a.csv');
    symlinkSync('a.csv', inWorld('latest'));
    expect(await receiveLocalPath(inWorld('latest'), world.dependencies())).toMatchObject({
      status: 'received',
      name: 'latest',
      sha256,
    });
  });

  test.each<[string, () => void, RegExp]>([
    ['missing', () => undefined, /does not exist/],
    ['a folder', () => mkdirSync(inWorld('it')), /is not a regular file/],
    ['a pipe', () => void execFileSync('mkfifo', [inWorld('it')]), /is not a regular file/],
    ['a link to nothing', () => symlinkSync('nothing', inWorld('it')), /does not exist/],
    [
      'a link to itself',
      () => symlinkSync('it', inWorld('it')),
      /\/it cannot be read: there are too many symbolic links.* \(ELOOP\)/,
    ],
  ])('F45 %s is reported as not readable', async (_what, make, why) => {
    make();
    const failed = await receiveLocalPath(inWorld('it'), world.dependencies());
    expect(describeFile(failed)).toBe('it: failed FILE_UNREADABLE');
    expect('error' in failed && failed.error.message).toMatch(why);
  });

  test('F20 a file without permission is reported as such', async () => {
    world.put('a.csv');
    chmodSync(inWorld('a.csv'), 0);
    // Root may read everything, so the process changes its user for this test.
    for (const folder of [world.directory, world.remote]) chmodSync(folder, 0o755);
    mkdirSync(world.data);
    chmodSync(world.data, 0o777);
    if (isRoot) process.seteuid?.(65_534);
    try {
      const failed = await receiveLocalPath(inWorld('a.csv'), world.dependencies());
      expect(describeFile(failed)).toBe('a.csv: failed FILE_UNREADABLE');
      expect('error' in failed && failed.error.message).toMatch(
        /cannot be read: permission denied \(EACCES\)/,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  test('an interruption leaves no half file', async () => {
    world.put('a.csv', Buffer.alloc(5_000_000));
    const interrupt = new AbortController();
    let chunks = 0;
    const progress = {
      begin: () => ({
        advance: () => ((chunks += 1) === 2 ? interrupt.abort() : undefined),
        end: () => undefined,
      }),
    };
    const dependencies = world.dependencies({ signal: interrupt.signal, progress });
    expect(await failureOf(receiveLocalPath(inWorld('a.csv'), dependencies))).toMatchObject({
      code: 'RUN_INTERRUPTED',
    });
    expect(chunks).toBe(2);
    expect(world.archived()).toEqual([]);
  });
});

/** Writes a file to which its first reader appends: the progress of that reader. */
function growingFile(name: string) {
  world.put(name, Buffer.alloc(3_000_000));
  let isGrown = false;
  const advance = () => {
    if (!isGrown) appendFileSync(inWorld(name), 'more');
    isGrown = true;
  };
  return { begin: () => ({ advance, end: () => undefined }) };
}

test('F28 a file of this machine that grows while it is read is left for a later run', async () => {
  const progress = growingFile('a.csv');
  const { files } = await world.fetchAll(world.local(), { progress });
  expect(files).toEqual(['a.csv: deferred FILE_CHANGING']);
  expect(world.archived()).toEqual([]);
});

test('F28 a file that was named and grows while it is read must be given again, because no run looks for it', async () => {
  const progress = growingFile('a.csv');
  expect(await receiveLocalPath(inWorld('a.csv'), world.dependencies({ progress }))).toMatchObject({
    status: 'deferred',
    error: {
      code: 'FILE_CHANGING',
      message:
        'a.csv changed while it was read, and no part of it was kept. No other run reads it: give it again once it is complete.',
    },
  });
});

test('progress counts every byte once and always ends', async () => {
  world.put('a.csv', Buffer.alloc(3_000_000));
  const reported: string[] = [];
  const progress = {
    begin: (label: string, total: number | null) => {
      reported.push(`${label} of ${total}`);
      let sum = 0;
      return { advance: (by: number) => (sum += by), end: () => reported.push(`${sum}`) };
    },
  };
  await world.fetchAll(world.local(), { progress });
  expect(reported).toEqual(['fetching a.csv of 3000000', '3000000']);
});

test('F39 an archive format is received byte for byte, and nothing is unpacked', async () => {
  const zip = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(42_000)]);
  const sha256 = world.put('a.csv', zip);
  await world.fetchAll(world.local());
  expect(readFileSync(archivePath(world.data, sha256)).equals(zip)).toBe(true);
});

describe.runIf(tmpfs.isMet)('a disk of one megabyte', tmpfs.orSkipped, () => {
  beforeEach(() => {
    mkdirSync(world.data);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', world.data]);
  });
  afterEach(() => {
    spawnSync('umount', [world.data]);
  });

  test('F24 that is full ends the run, keeps no half file, and the next run succeeds', async () => {
    world.put('a.csv', 'small');
    const large = world.put('b.csv', Buffer.alloc(2_000_000, 'b'));
    const error = await failureOf(world.fetchAll(world.local()));
    expect(error).toMatchObject({ code: 'DISK_FULL', exitCode: 6 });
    expect(world.archived()).toEqual([sha256Of('small')]);
    execFileSync('mount', ['-o', 'remount,size=8m', world.data]);
    expect((await world.fetchAll(world.local())).files).toEqual(['a.csv: received', 'b.csv: received']);
    expect(world.archived()).toContain(large);
  });
});

describe.runIf(strace.isMet)('a disk that fails', strace.orSkipped, () => {
  test.each(['fsync', 'rename'])('F25 EIO at %s ends the run; no file has a final name', (call) => {
    world.put('a.csv');
    const script = compiledChild(path.resolve(import.meta.dirname, '../../support/fetch-local-folder.ts'));
    const inject = `${call}:error=EIO:when=1`;
    const strace = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${inject}`];
    const node = [process.execPath, script, world.remote, world.data];
    const run = spawnSync('strace', [...strace, ...node], { encoding: 'utf8', timeout: 50_000 });
    expect(run.stdout.trim()).toBe('DISK_FAILED 6');
    expect(world.archived()).toEqual([]);
  });
});
