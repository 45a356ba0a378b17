import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkSource } from '../../../src/intake/fetch/check-source.js';
import type { SourceSettings } from '../../../src/remote/source-settings.js';
import { FetchWorld, failureOf } from '../../support/fetch-world.js';
import { startFtpServer } from '../../support/ftp-server.js';
import { newKeyPair, startSftpServer } from '../../support/sftp-server.js';

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

const sftpServer = async (options = {}) => world.closing(await startSftpServer(world.remote, options));
const ftpServer = async (tls?: 'explicit' | 'implicit') =>
  world.closing(await startFtpServer({ rootDirectory: world.remote, ...(tls === undefined ? {} : { tls }) }));

const protocols: [string, () => Promise<SourceSettings>][] = [
  ['local', () => Promise.resolve(world.local())],
  ['sftp', async () => world.sftp(await sftpServer())],
  ['ftp', async () => world.ftp(await ftpServer(), slower)],
  ['ftps explicit', async () => world.ftps(await ftpServer('explicit'), 'explicit', slower)],
  ['ftps implicit', async () => world.ftps(await ftpServer('implicit'), 'implicit', slower)],
];
const slower = { stallTimeoutMs: 2000 };

describe.each(protocols)('%s', (name, source) => {
  test('F30 receives whole files in the order of their names, and nothing else', async () => {
    const second = world.put('b.csv', Buffer.alloc(3_000_000, 'x'));
    const first = world.put('a.csv');
    for (const name of ['.hidden.csv', 'c.csv.part', 'd.csv.filepart', 'other.txt']) world.put(name);
    mkdirSync(path.join(world.remote, 'folder.csv'));
    const { files } = await world.fetchAll(await source());
    expect(files).toEqual(['a.csv: received', 'b.csv: received']);
    expect(world.archived()).toEqual([first, second].sort());
  });

  test('an empty folder is no error', async () => {
    expect((await world.fetchAll(await source())).files).toEqual([]);
  });

  test('F27 a file that is young waits for a later run', async () => {
    world.put('a.csv');
    world.put('b.csv', 'half', 30_000);
    const settings = await source();
    expect((await world.fetchAll(settings)).files).toEqual([
      'a.csv: received',
      'b.csv: deferred FILE_CHANGING',
    ]);
    const { files } = await world.fetchAll({ ...settings, minimumAgeSeconds: 0 });
    expect(files).toEqual(['a.csv: received', 'b.csv: received']);
  });

  test('a file without its totals is deferred for waitHours, and then it has failed', async () => {
    world.put('a.csv', 'waits', 3 * 3_600_000);
    world.put('b.csv', 'waited', 5 * 3_600_000);
    const totals = { sidecar: '{name}.totals', required: true, waitHours: 4 };
    const { files } = await world.fetchAll({ ...(await source()), totals });
    expect(files).toEqual(['a.csv: deferred FILE_TOTALS_MISSING', 'b.csv: failed FILE_TOTALS_MISSING']);
  });

  test('F41 a file that is too large is refused and not fetched', async () => {
    world.put('a.csv', 'x'.repeat(101));
    world.put('b.csv', 'x'.repeat(100));
    const { files } = await world.fetchAll({ ...(await source()), maximumSizeBytes: 100 });
    expect(files).toEqual(['a.csv: failed FILE_TOO_LARGE', 'b.csv: received']);
  });

  test('F18 a folder with too many entries fails as a whole', async () => {
    for (let n = 0; n < 11; n += 1) world.put(`${n}.csv`);
    const error = await failureOf(world.fetchAll({ ...(await source()), maximumEntries: 10 }));
    expect(error).toMatchObject({ code: 'SOURCE_LISTING', exitCode: 4 });
    expect(world.archived()).toEqual([]);
  });

  test('a folder that is not there is an error, never an empty one', async () => {
    const error = await failureOf(world.fetchAll({ ...(await source()), folder: '/no/such/folder' }));
    expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
  });

  test('a file is moved or deleted when its source says so, and only then', async () => {
    for (const name of ['a.csv', 'b.csv', 'c.csv']) world.put(name);
    mkdirSync(path.join(world.remote, 'done'));
    const settings = await source();
    const settle = (filePattern: string, afterSuccess: SourceSettings['afterSuccess']) =>
      world.fetchAll({ ...settings, filePattern, afterSuccess }, { settles: true });
    await settle('a.csv', { action: 'none' });
    await settle('b.csv', { action: 'move', folder: 'done' });
    await settle('c.csv', { action: 'delete' });
    const left = readdirSync(world.remote, { recursive: true }).sort();
    expect(left).toEqual(['a.csv', 'done', 'done/b.csv']);
  });

  test('a file that is already in the target folder is not overwritten', async () => {
    mkdirSync(path.join(world.remote, 'done'));
    writeFileSync(path.join(world.remote, 'done/a.csv'), 'of the day before');
    const sha256 = world.put('a.csv');
    const settings = { ...(await source()), afterSuccess: { action: 'move', folder: 'done' } } as const;
    await world.fetchAll(settings, { settles: true });
    const moved = readdirSync(path.join(world.remote, 'done')).sort();
    expect(moved).toEqual([`a-${sha256.slice(0, 8)}.csv`, 'a.csv']);
  });

  test('F31 a file that is known by size and time is not fetched again', async () => {
    const sha256 = world.put('a.csv');
    const settings = await source();
    const { results } = await world.fetchAll(settings);
    const [first] = results;
    expect(first).toMatchObject({ status: 'received', sha256, stable: true });
    if (first?.status !== 'received') return;
    const asked: unknown[] = [];
    const again = await world.fetchAll(settings, {
      knownFiles: (files) => {
        asked.push(files);
        return Promise.resolve(new Map([[first.remotePath, { sha256, rejectedFor: null, isLoaded: true }]]));
      },
    });
    expect(again.files).toEqual(['a.csv: known']);
    const { remotePath, sizeBytes, modifiedAtMs } = first;
    expect(asked.flat()).toEqual([{ path: remotePath, sizeBytes, modifiedAtMs }]);
  });

  test('a later move or deletion opens its own connection and closes it', async () => {
    world.put('a.csv');
    const settings = { ...(await source()), afterSuccess: { action: 'delete' } } as const;
    const { results } = await world.fetchAll(settings);
    for (const file of results) if ('dispose' in file) await file.dispose();
    expect(readdirSync(world.remote)).toEqual([]);
  });

  test('can be listed without fetching a file', async () => {
    world.put('a.csv');
    world.put('b.txt');
    const [found, ...warnings] = (await checkSource(await source(), world.dependencies())).split('\n');
    expect(found).toBe('reached; 1 file matches *.csv');
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual(name === 'ftp' ? ['plain FTP'] : []);
    expect(world.archived()).toEqual([]);
  });

  test('a check reports that the folder to which files are moved does not exist', async () => {
    const settings = { ...(await source()), afterSuccess: { action: 'move', folder: 'done' } } as const;
    expect(await failureOf(checkSource(settings, world.dependencies()))).toMatchObject({
      code: 'SOURCE_LISTING',
      message: expect.stringMatching(/could not find the folder .*\bdone of afterSuccess/) as string,
    });
    mkdirSync(path.join(world.remote, 'done'));
    expect(await checkSource(settings, world.dependencies())).toMatch(/^reached; 0 files match/);
  });

  test('an interruption before the start ends it', async () => {
    const signal = AbortSignal.abort();
    expect(await failureOf(world.fetchAll(await source(), { signal }))).toMatchObject({ exitCode: 130 });
  });
});

describe('reaching the server', () => {
  test('F1 a refused connection is tried three times, and reported', async () => {
    const server = await startSftpServer(world.remote);
    await server.close();
    for (const settings of [world.sftp(server), world.ftp(server)]) {
      const pauses: number[] = [];
      const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
      const error = await failureOf(world.fetchAll(settings, { sleep }));
      expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE', exitCode: 4 });
      expect(error.message).toMatch(
        /source acquirer \(\w+ 127\.0\.0\.1:\d+\) could not be reached: the connection was refused \(ECONNREFUSED\)/,
      );
      expect(pauses).toEqual([750, 1500]);
    }
  });

  test('F1 a name that does not resolve', async () => {
    const host = { host: 'no-such-host.invalid', attempts: 1 };
    for (const settings of [world.sftp({ port: 22 }, host), world.ftp({ port: 21 }, host)])
      expect((await failureOf(world.fetchAll(settings))).code).toBe('SOURCE_UNREACHABLE');
  });

  test('F2 a server that accepts and sends nothing is given up at the deadline', async () => {
    const silent = createServer((socket) => void socket.resume().on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const brief = { attempts: 1, connectTimeoutMs: 300 };
    const started = Date.now();
    for (const settings of [
      world.sftp({ port }, brief),
      world.ftp({ port }, brief),
      world.ftps({ port, certificate: '' }, 'implicit', brief),
    ])
      expect((await failureOf(world.fetchAll(settings))).code).toBe('SOURCE_UNREACHABLE');
    expect(Date.now() - started).toBeLessThan(3000);
    // Hangs unless all our sockets are closed.
    await new Promise((resolve) => silent.close(resolve));
  });

  test('a private key with a passphrase logs in', async () => {
    world.put('a.csv');
    const pair = newKeyPair('ed25519', 'open sesame');
    const server = await sftpServer({ authorizedKey: pair.public });
    const settings = world.sftp(server, {
      password: null,
      privateKey: pair.private,
      passphrase: 'open sesame',
    });
    expect((await world.fetchAll(settings)).files).toEqual(['a.csv: received']);
    const error = await failureOf(world.fetchAll({ ...settings, passphrase: 'wrong-secret' }));
    expect(error.code).toBe('SOURCE_AUTHENTICATION');
    expect(error.message).not.toContain('secret');
  });
});

describe('names and kinds in a local folder', () => {
  test.each([
    ['line\nbreak.csv', 'line\\u000abreak.csv: failed FILE_NAME_UNSAFE'],
    ['esc\u001b[31m.csv', 'esc\\u001b[31m.csv: failed FILE_NAME_UNSAFE'],
    ['right\u202eleft.csv', 'right\\u202eleft.csv: failed FILE_NAME_UNSAFE'],
    ['-rf.csv', '-rf.csv: received'],
    ['$(x).csv', '$(x).csv: received'],
    ['ümläut.csv', 'ümläut.csv: received'],
  ])('F43 %j', async (name, expected) => {
    world.put(name);
    expect((await world.fetchAll(world.local())).files).toEqual([expected]);
  });

  test('F44 a name that is not UTF-8 is reported, not skipped', async () => {
    const file = Buffer.concat([Buffer.from(`${world.remote}/a`), Buffer.from([0xfc]), Buffer.from('.csv')]);
    writeFileSync(file, 'x');
    utimesSync(file, 0, 0);
    expect((await world.fetchAll(world.local())).files).toEqual(['a\\ufffd.csv: failed FILE_NAME_UNSAFE']);
  });

  test('F45 links and pipes are reported, not opened', async () => {
    world.put('a.csv');
    symlinkSync('/etc/passwd', path.join(world.remote, 'b.csv'));
    execFileSync('mkfifo', [path.join(world.remote, 'c.csv')]);
    const { files, warnings } = await world.fetchAll(world.local());
    expect(files).toEqual(['a.csv: received']);
    expect(warnings).toHaveLength(1);
  });

  test('F35 names that differ only in case are two files', async () => {
    world.put('A.csv');
    world.put('a.csv');
    expect((await world.fetchAll(world.local())).files).toEqual(['A.csv: received', 'a.csv: received']);
  });
});

test('F26 the message about a move names the folder that does not exist', async () => {
  world.put('a.csv');
  const source = { ...world.local(), afterSuccess: { action: 'move', folder: 'nowhere' } } as const;
  await expect(world.fetchAll(source, { settles: true })).rejects.toThrow(
    /could not move a\.csv to .*\/nowhere: it does not exist/,
  );
});

test('F20 a local folder that can be listed but not entered says so', async () => {
  world.put('a.csv');
  for (const folder of [world.directory, world.remote]) chmodSync(folder, 0o755);
  chmodSync(world.remote, 0o444);
  // Root may enter everything, so the process changes its user for this test.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await expect(world.fetchAll(world.local())).rejects.toMatchObject({
      code: 'SOURCE_LISTING',
      message: expect.stringMatching(/cannot be read: permission denied \(EACCES\)\.$/) as string,
    });
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(world.remote, 0o755);
  }
});

test('F88 an archive that cannot be written ends the run', async () => {
  world.put('a.csv');
  mkdirSync(world.data);
  writeFileSync(path.join(world.data, 'incoming'), 'a file where a folder should be');
  expect(await failureOf(world.fetchAll(world.local()))).toMatchObject({ code: 'DISK_FAILED', exitCode: 6 });
});
