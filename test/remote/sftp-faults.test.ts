import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fingerprintOfHostKey, newHostKey } from '../../src/demo/loopback-sftp-server.js';
import type { SftpRequest } from '../../src/demo/serve-sftp-files.js';
import { archivePath } from '../support/archive.js';
import { FetchWorld, failureOf, numberedBytes, sha256Of } from '../support/fetch-world.js';
import { STATUS_CODE, firstOf, listing, onRequest, startSftpServer } from '../support/sftp-server.js';

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

const hostKey = newHostKey();

async function source(
  intercept?: (request: SftpRequest) => boolean,
  changes: Parameters<FetchWorld['sftp']>[1] = {},
) {
  const server = await startSftpServer(world.remote, {
    hostKeys: [hostKey],
    ...(intercept === undefined ? {} : { intercept }),
  });
  world.closing(server);
  return world.sftp({ port: server.port, hostKeyFingerprint: fingerprintOfHostKey(hostKey) }, changes);
}

const megabytes = (count: number) => numberedBytes(count * 1_000_000);

describe('bytes in order', () => {
  test.each([0, 1, 31_743, 31_744, 31_745, 3_000_000])('F16 %i bytes arrive unchanged', async (length) => {
    const sha256 = world.put('a.csv', numberedBytes(length));
    expect((await world.fetchAll(await source())).files).toEqual(['a.csv: received']);
    expect(world.archived()).toEqual([sha256]);
  });

  test('F38 an empty file is archived like any other', async () => {
    const sha256 = world.put('a.csv', '');
    const { results } = await world.fetchAll(await source());
    expect(results[0]).toMatchObject({ status: 'received', sizeBytes: 0, sha256 });
  });

  test('F16 short and late answers do not change the order of the pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 400_000 }),
        fc.array(
          fc.record({ bytes: fc.integer({ min: 3000, max: 40_000 }), ms: fc.integer({ min: 0, max: 4 }) }),
          {
            minLength: 1,
            maxLength: 20,
          },
        ),
        async (length, answers) => {
          await world.close();
          world = new FetchWorld();
          const content = numberedBytes(length);
          const sha256 = world.put('a.csv', content);
          let nth = 0;
          const shortly = onRequest(
            { kind: 'READ', path: '/a.csv' },
            ({ sftp, id, offset, length: asked }) => {
              const { bytes = 1, ms = 0 } = answers[(nth += 1) % answers.length] ?? {};
              setTimeout(() => {
                const piece = content.subarray(offset, offset + Math.min(bytes, asked));
                if (piece.length === 0) sftp.status(id, STATUS_CODE.EOF);
                else sftp.data(id, piece);
              }, ms);
              return true;
            },
          );
          await world.fetchAll(await source(shortly));
          expect(world.archived()).toEqual([sha256]);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('F40 a large file is streamed without being held in memory', async () => {
    const block = numberedBytes(32_768);
    const size = 200 * 1024 * 1024;
    world.put('a.csv', '');
    const large = { mode: 0o100644, size, mtime: 1_700_000_000, atime: 0, uid: 0, gid: 0 };
    const intercept = firstOf(
      listing([{ name: 'a.csv', ...large }]),
      onRequest({ kind: 'STAT', path: '/a.csv' }, ({ sftp, id }) => {
        sftp.attrs(id, large);
        return true;
      }),
      onRequest({ kind: 'READ', path: '/a.csv' }, ({ sftp, id, offset, length }) => {
        if (offset >= size) sftp.status(id, STATUS_CODE.EOF);
        else sftp.data(id, block.subarray(0, Math.min(length, size - offset)));
        return true;
      }),
    );
    const before = process.memoryUsage().rss;
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
    const { results } = await world.fetchAll(await source(intercept, { fileTimeoutMs: 60_000 }));
    clearInterval(timer);
    expect(results[0]).toMatchObject({ status: 'received', sizeBytes: size });
    // The server runs in this process, too.
    expect(peak - before).toBeLessThan(150 * 1024 * 1024);
  });

  test('F19 many small files, in the order of their names', async () => {
    const names = Array.from({ length: 150 }, (_, n) => `${String(n).padStart(4, '0')}.csv`);
    for (const name of [...names].reverse()) world.put(name);
    const { files } = await world.fetchAll(await source());
    expect(files).toEqual(names.map((name) => `${name}: received`));
  });
});

describe('incomplete content', () => {
  test('F13 an end before the announced size is not accepted as the end', async () => {
    world.put('a.csv', megabytes(1));
    const early = onRequest({ kind: 'READ', path: '/a.csv' }, ({ sftp, id, offset }) => {
      if (offset < 500_000) return false;
      sftp.status(id, STATUS_CODE.EOF);
      return true;
    });
    const { files, pauses } = await world.fetchAll(await source(early));
    expect(files).toEqual(['a.csv: failed FILE_INCOMPLETE']);
    expect(pauses).toHaveLength(2);
    expect(world.archived()).toEqual([]);
  });

  test.each<[string, (file: string) => void]>([
    ['grows', (file) => appendFileSync(file, 'more')],
    ['is truncated', (file) => truncateSync(file, 600_000)],
    [
      'is replaced by another of the same size',
      (file) => {
        writeFileSync(`${file}.new`, megabytes(1).reverse());
        renameSync(`${file}.new`, file);
      },
    ],
  ])('F28 a file that %s while it is read is left for a later run', async (_what, change) => {
    world.put('a.csv', megabytes(1));
    const changing = onRequest({ kind: 'READ', path: '/a.csv', from: 5, times: 1 }, () => {
      change(path.join(world.remote, 'a.csv'));
      return false;
    });
    const { files } = await world.fetchAll(await source(changing));
    expect(files[0]).toMatch(/a.csv: (deferred FILE_CHANGING|failed FILE_INCOMPLETE)/);
    expect(world.archived()).toEqual([]);
  });

  test('F27 a file that grows between the listing and the check before fetching is left', async () => {
    world.put('a.csv', 'half');
    world.put('b.csv');
    const growing = onRequest({ kind: 'STAT', path: '/a.csv', times: 1 }, () => {
      const file = path.join(world.remote, 'a.csv');
      appendFileSync(file, ' more');
      const old = new Date(Date.now() - 3_600_000);
      utimesSync(file, old, old);
      return false;
    });
    const { files } = await world.fetchAll(await source(growing));
    expect(files).toEqual(['a.csv: deferred FILE_CHANGING', 'b.csv: received']);
  });

  test('F29 a file that is rewritten in the same second is not known, and the next run fetches it again', async () => {
    const first = world.put('a.csv', 'first one', 0);
    const settings = await source(undefined, { minimumAgeSeconds: 0 });
    const before = await world.fetchAll(settings);
    expect(before.results[0]).toMatchObject({ status: 'received', sha256: first, stable: false });
    const second = world.put('a.csv', 'other one', 0);
    const after = await world.fetchAll(settings);
    expect(after.results[0]).toMatchObject({ status: 'received', sha256: second });
    expect(world.archived()).toEqual([first, second].sort());
  });

  test('F29 whether a file is stable is decided by the time when the transfer began, not when it ended', async () => {
    world.put('a.csv', 'x', 0);
    let ticks = 0;
    const clock = () => Date.now() + 10_000 * (ticks++ > 1 ? 1 : 0);
    const { results } = await world.fetchAll(await source(undefined, { minimumAgeSeconds: 0 }), { clock });
    expect(results[0]).toMatchObject({ status: 'received', stable: false });
  });

  test('F41 a server that lies about the size is stopped at the limit', async () => {
    world.put('a.csv', 'x'.repeat(50));
    const endless = onRequest({ kind: 'READ', path: '/a.csv' }, ({ sftp, id, length }) => {
      sftp.data(id, Buffer.alloc(length, 'x'));
      return true;
    });
    const { files } = await world.fetchAll(await source(endless, { maximumSizeBytes: 1_000_000 }));
    expect(files).toEqual(['a.csv: failed FILE_TOO_LARGE']);
    expect(world.archived()).toEqual([]);
  });
});

describe('servers that stop', () => {
  test('F10 a server that stops answering in the middle is noticed in time, and the file is fetched again', async () => {
    const sha256 = world.put('a.csv', megabytes(3));
    const silent = onRequest({ kind: 'READ', path: '/a.csv', from: 30, times: 1 }, () => true);
    const { files, pauses } = await world.fetchAll(await source(silent));
    expect(files).toEqual(['a.csv: received']);
    expect(pauses).toHaveLength(1);
    expect(world.archived()).toEqual([sha256]);
  });

  test.each(['OPENDIR', 'READDIR', 'STAT', 'OPEN'] as const)(
    'F10 a server that is silent at %s',
    async (kind) => {
      world.put('a.csv');
      const at = kind === 'OPENDIR' || kind === 'READDIR' ? '/' : '/a.csv';
      const settings = await source(
        onRequest({ kind, path: at }, () => true),
        { attempts: 1, stallTimeoutMs: 200 },
      );
      if (at === '/') expect((await failureOf(world.fetchAll(settings))).code).toBe('SOURCE_STALLED');
      else expect((await world.fetchAll(settings)).files).toEqual(['a.csv: failed SOURCE_STALLED']);
      expect(world.archived()).toEqual([]);
    },
  );

  test('F11 a session that ends while the connection remains is noticed immediately, and opened again', async () => {
    const sha256 = world.put('a.csv', megabytes(3));
    const ending = onRequest({ kind: 'READ', path: '/a.csv', from: 20, times: 1 }, ({ sftp }) => {
      sftp.end();
      return true;
    });
    const started = Date.now();
    const { files } = await world.fetchAll(await source(ending, { stallTimeoutMs: 30_000 }));
    expect(files).toEqual(['a.csv: received']);
    expect(world.archived()).toEqual([sha256]);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  test('F22 a session that the server closed between two files is opened again, and costs no try', async () => {
    world.put('a.csv');
    world.put('b.csv');
    const closing = onRequest({ kind: 'STAT', path: '/b.csv', times: 1 }, ({ connection }) => {
      connection.end();
      return true;
    });
    const { files, pauses } = await world.fetchAll(await source(closing, { attempts: 1 }));
    expect(files).toEqual(['a.csv: received', 'b.csv: received']);
    expect(pauses).toEqual([]);
  });

  test('a server that no longer sends files is given up after three', async () => {
    for (let n = 0; n < 20; n += 1) world.put(`${n}.csv`);
    const settings = await source(({ kind }) => kind === 'READ', { attempts: 1, stallTimeoutMs: 200 });
    const error = await failureOf(world.fetchAll(settings));
    expect(error).toMatchObject({ code: 'SOURCE_STALLED' });
    expect(error.message).toMatch(/^3 files in a row/);
  });

  test('a source that becomes unavailable fails as a source, not file by file', async () => {
    for (let n = 0; n < 20; n += 1) world.put(`${n}.csv`);
    const server = await startSftpServer(world.remote, {
      hostKeys: [hostKey],
      intercept: onRequest({ kind: 'OPEN', path: '/1.csv' }, ({ connection }) => {
        void server.close();
        connection.end();
        return true;
      }),
    });
    const settings = world.sftp(
      { port: server.port, hostKeyFingerprint: fingerprintOfHostKey(hostKey) },
      { attempts: 2 },
    );
    const error = await failureOf(world.fetchAll(settings));
    expect(error.message).toMatch(/could not be reached: the connection was refused \(ECONNREFUSED\)/);
  });
});

describe('one file that fails', () => {
  test('F21 vanished between listing and fetching, the others go on', async () => {
    world.put('a.csv');
    world.put('b.csv');
    const vanishing = onRequest({ kind: 'STAT', path: '/a.csv' }, () => {
      if (existsSync(path.join(world.remote, 'a.csv'))) unlinkSync(path.join(world.remote, 'a.csv'));
      return false;
    });
    expect((await world.fetchAll(await source(vanishing))).files).toEqual([
      'a.csv: failed FILE_VANISHED',
      'b.csv: received',
    ]);
  });

  test('F21 vanished between the check and the opening', async () => {
    world.put('a.csv');
    const vanishing = onRequest({ kind: 'OPEN', path: '/a.csv' }, ({ sftp, id }) => {
      sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
      return true;
    });
    expect((await world.fetchAll(await source(vanishing))).files).toEqual(['a.csv: failed FILE_VANISHED']);
  });

  test('F20 not readable, the others go on', async () => {
    world.put('a.csv');
    world.put('b.csv');
    const denied = onRequest({ kind: 'OPEN', path: '/a.csv' }, ({ sftp, id }) => {
      sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
      return true;
    });
    const { files, results } = await world.fetchAll(await source(denied));
    expect(files).toEqual(['a.csv: failed FILE_UNREADABLE', 'b.csv: received']);
    expect(results[0]).toMatchObject({ error: { exitCode: 4 } });
  });

  test('F20 an unreadable folder is not taken for an empty folder', async () => {
    const denied = onRequest({ kind: 'OPENDIR', path: '/' }, ({ sftp, id }) => {
      sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
      return true;
    });
    expect(await failureOf(world.fetchAll(await source(denied)))).toMatchObject({ code: 'SOURCE_LISTING' });
  });
});

describe('listings', () => {
  const regular = { mode: 0o100644, size: 3, mtime: 1_700_000_000, atime: 0, uid: 0, gid: 0 };
  const sinceListed = () => Date.now() - regular.mtime * 1000;

  test('F18 an endless listing ends at the cap', async () => {
    let n = 0;
    const endless = onRequest({ kind: 'READDIR', path: '/' }, ({ sftp, id }) => {
      const entries = Array.from({ length: 100 }, () => `${(n += 1)}.csv`);
      sftp.name(
        id,
        entries.map((filename) => ({ filename, longname: '', attrs: regular as never })),
      );
      return true;
    });
    const error = await failureOf(world.fetchAll(await source(endless, { maximumEntries: 5000 })));
    expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
    expect(n).toBeLessThan(6000);
  });

  test('F18 an endless listing of long names ends at the cap, too', async () => {
    let n = 0;
    const endless = onRequest({ kind: 'READDIR', path: '/' }, ({ sftp, id }) => {
      const entries = Array.from({ length: 8 }, () => `${(n += 1)}.csv`);
      sftp.name(
        id,
        entries.map((filename) => ({ filename, longname: 'x'.repeat(30_000), attrs: regular as never })),
      );
      return true;
    });
    const error = await failureOf(world.fetchAll(await source(endless, { maximumEntries: 5000 })));
    expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
    expect(n).toBeLessThan(3000);
  });

  test('a session with many files has few of them open', async () => {
    for (let n = 0; n < 40; n += 1) world.put(`${100 + n}.csv`);
    // The server is in this process, and opens a file for each handle.
    const open: number[] = [];
    const watching = ({ kind }: SftpRequest) => {
      if (kind === 'OPEN') open.push(readdirSync('/proc/self/fd').length);
      return false;
    };
    const settings = await source(watching, { downloadsAtOnce: 1 });
    expect((await world.fetchAll(settings)).files).toHaveLength(40);
    expect(Math.max(...open) - Math.min(...open)).toBeLessThan(10);
  });

  test('F42 F43 F44 names that lead elsewhere, contain control characters or are not text are reported; no file is written outside the folders', async () => {
    world.put('good.csv', 'yes', sinceListed());
    const names = [
      '../../../tmp/x.csv',
      '/etc/x.csv',
      '..\\x.csv',
      'nul\u0000.csv',
      'esc\u001b[2J.csv',
      'cr\r\n.csv',
      // The library decodes a name in Latin-1 like this.
      'abrechnung-m\ufffdrz.csv',
    ];
    const entries = [...names, 'good.csv'].map((name) => ({ name, ...regular }));
    const { files, results } = await world.fetchAll(await source(listing(entries)));
    expect(files.filter((file) => file.endsWith('failed FILE_NAME_UNSAFE'))).toHaveLength(7);
    expect(files).toContain('good.csv: received');
    for (const result of results) {
      const reported = 'error' in result ? `${result.name} ${result.error.message}` : result.name;
      expect(reported).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(world.archived()).toEqual([sha256Of('yes')]);
  });

  test('F35 a name that is listed twice, and names that differ in case or accents only', async () => {
    for (const name of ['A.csv', 'a.csv', '\u00e9.csv', 'e\u0301.csv'])
      world.put(name, `content of ${name}\n`, sinceListed());
    const names = ['a.csv', 'A.csv', 'a.csv', '\u00e9.csv', 'e\u0301.csv'];
    const entries = names.map((name) => ({
      name,
      ...regular,
      size: Buffer.byteLength(`content of ${name}\n`),
    }));
    const intercept = listing(entries);
    const settings = await source(intercept);
    const { results } = await world.fetchAll(settings);
    expect(results.map(({ name }) => name)).toEqual(['A.csv', 'a.csv', 'e\u0301.csv', '\u00e9.csv']);
  });

  test('F45 links, pipes and folders are reported, not opened', async () => {
    world.put('a.csv');
    symlinkSync('/etc/passwd', path.join(world.remote, 'b.csv'));
    execFileSync('mkfifo', [path.join(world.remote, 'c.csv')]);
    mkdirSync(path.join(world.remote, 'd.csv'));
    const opened: string[] = [];
    const watching = ({ kind, path: at }: SftpRequest) => kind === 'OPEN' && opened.push(at) < 0;
    const { files, warnings } = await world.fetchAll(await source(watching));
    expect(files).toEqual(['a.csv: received']);
    expect(opened).toEqual(['/a.csv']);
    expect(warnings.join()).toMatch(/only regular files are fetched/);
  });

  test('F45 a file that became a link since it was listed is not opened', async () => {
    world.put('a.csv');
    const linking = onRequest({ kind: 'STAT', path: '/a.csv', times: 1 }, () => {
      unlinkSync(path.join(world.remote, 'a.csv'));
      symlinkSync('/etc/passwd', path.join(world.remote, 'a.csv'));
      return false;
    });
    expect((await world.fetchAll(await source(linking))).files).toEqual(['a.csv: failed FILE_UNREADABLE']);
    expect(world.archived()).toEqual([]);
  });

  test('a server that gives the kind of an entry only in the long form of the listing', async () => {
    const sha256 = world.put('a.csv', 'yes');
    const { mode: _mode, ...untold } = regular;
    const intercept = firstOf(
      listing([
        { name: 'a.csv', ...untold, longname: '-rw-r--r--    1 a  a  3 Jan  1 2026 a.csv' },
        { name: 'b.csv', ...untold, longname: 'lrwxrwxrwx    1 a  a  3 Jan  1 2026 b.csv' },
        { name: 'c.csv', ...untold, longname: 'c.csv' },
      ]),
      onRequest({ kind: 'STAT', path: '/a.csv' }, ({ sftp, id }) => {
        sftp.attrs(id, untold as never);
        return true;
      }),
    );
    world.put('c.csv', 'yes', sinceListed());
    const { files } = await world.fetchAll(await source(intercept));
    expect(files).toEqual(['a.csv: received', 'c.csv: received']);
    expect(world.archived()).toContain(sha256);
  });
});

describe('moving and deleting', () => {
  const done = { action: 'move', folder: 'done' } as const;

  test('F26 a refusal does not harm what was received', async () => {
    const sha256 = world.put('a.csv');
    const denied = onRequest({ kind: 'RENAME', path: '/a.csv' }, ({ sftp, id }) => {
      sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
      return true;
    });
    const settings = await source(denied, { afterSuccess: done });
    const error = await failureOf(world.fetchAll(settings, { settles: true }));
    expect(error).toMatchObject({ exitCode: 4 });
    expect(world.archived()).toEqual([sha256]);
  });

  test('a file with the same name every day is moved beside the file of the day before', async () => {
    mkdirSync(path.join(world.remote, 'done'));
    const settings = await source(undefined, { afterSuccess: done });
    world.put('a.csv', 'monday');
    await world.fetchAll(settings, { settles: true });
    const second = world.put('a.csv', 'tuesday');
    await world.fetchAll(settings, { settles: true });
    const at = (name: string) => readFileSync(path.join(world.remote, 'done', name), 'utf8');
    expect([at('a.csv'), at(`a-${second.slice(0, 8)}.csv`)]).toEqual(['monday', 'tuesday']);
    expect(existsSync(path.join(world.remote, 'a.csv'))).toBe(false);
  });

  test.each([
    [done, 'new bytes, not fetched'],
    [{ action: 'delete' } as const, 'new bytes, not fetched'],
    // Only the time is another one.
    [{ action: 'delete' } as const, 'new bytes'],
  ])('F32 a file that was replaced since it was fetched stays: %j, %s', async (afterSuccess, replacement) => {
    mkdirSync(path.join(world.remote, 'done'));
    const first = world.put('a.csv', 'old bytes');
    const settings = await source(undefined, { afterSuccess });
    const { results, warnings } = await world.fetchAll(settings);
    const second = world.put('a.csv', replacement, 1_800_000);
    const [file] = results;
    if (file?.status !== 'received') throw new Error('not received');
    await file.dispose();
    expect(readFileSync(path.join(world.remote, 'a.csv'), 'utf8')).toBe(replacement);
    expect(warnings.join()).toMatch(/replaced since it was fetched/);
    await world.fetchAll(settings);
    expect(world.archived()).toEqual([first, second].sort());
  });

  test('a known file is also moved or deleted, and not fetched', async () => {
    const sha256 = world.put('a.csv');
    const reads: number[] = [];
    const watching = ({ kind, offset }: SftpRequest) => kind === 'READ' && reads.push(offset) < 0;
    const settings = await source(watching, { afterSuccess: { action: 'delete' } });
    const { files } = await world.fetchAll(settings, {
      settles: true,
      knownFiles: ([file]) =>
        Promise.resolve(
          new Map(file === undefined ? [] : [[file.path, { sha256, rejectedFor: null, isLoaded: true }]]),
        ),
    });
    expect(files).toEqual(['a.csv: known']);
    expect(reads).toEqual([]);
    expect(existsSync(path.join(world.remote, 'a.csv'))).toBe(false);
  });
});

test('an interruption ends a download at once and leaves no half file', async () => {
  world.put('a.csv', megabytes(3));
  const interrupt = new AbortController();
  const interrupting = onRequest({ kind: 'READ', path: '/a.csv', from: 30 }, () => {
    interrupt.abort();
    return true;
  });
  const settings = await source(interrupting, { stallTimeoutMs: 30_000 });
  const started = Date.now();
  const error = await failureOf(world.fetchAll(settings, { signal: interrupt.signal }));
  expect(error).toMatchObject({ code: 'RUN_INTERRUPTED', exitCode: 130 });
  expect(Date.now() - started).toBeLessThan(5000);
  expect(world.archived()).toEqual([]);
});

test('F23 an incomplete file of a dead run is never continued', async () => {
  const content = megabytes(1);
  const sha256 = world.put('a.csv', content);
  mkdirSync(path.join(world.data, 'incoming'), { recursive: true });
  const left = path.join(world.data, 'incoming', 'left-over.part');
  writeFileSync(left, content.subarray(0, 500_000));
  await world.fetchAll(await source());
  expect(readFileSync(left)).toHaveLength(500_000);
  expect(sha256Of(readFileSync(archivePath(world.data, sha256)))).toBe(sha256);
});
