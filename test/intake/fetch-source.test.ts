import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  appendFileSync,
  unlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  startLoopbackSftpServer,
  type LoopbackSftpOptions,
  type LoopbackSftpServer,
} from '../../src/demo/loopback-sftp-server.js';
import type { ReconError } from '../../src/errors.js';
import { archivePath } from '../../src/intake/archive.js';
import { fetchSource, type FetchDependencies, type FetchedFile } from '../../src/intake/fetch-source.js';
import {
  sourceDefaults,
  type FtpSource,
  type LocalSource,
  type SftpSource,
  type SourceSettings,
} from '../../src/intake/remote/source-settings.js';
import { silentProgress } from '../../src/progress.js';
import { startFtpServer, type FtpTestServer } from '../support/ftp-server.js';

let directory: string;
let remote: string;
let data: string;
const open: { close(): Promise<unknown> }[] = [];

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'recon-fetch-'));
  remote = path.join(directory, 'remote');
  data = path.join(directory, 'data');
  mkdirSync(remote);
});

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
  rmSync(directory, { recursive: true, force: true });
});

const old = new Date(Date.now() - 3_600_000);

/** A remote file that has been quiet for an hour. */
function put(name: string, content: string | Buffer = `content of ${name}\n`): string {
  const file = path.join(remote, name);
  writeFileSync(file, content);
  utimesSync(file, old, old);
  return createHash('sha256').update(content).digest('hex');
}

async function sftpServer(options: Partial<LoopbackSftpOptions> = {}): Promise<LoopbackSftpServer> {
  const server = await startLoopbackSftpServer({
    rootDirectory: remote,
    username: 'merchant',
    password: 'secret',
    ...options,
  });
  open.push(server);
  return server;
}

function sftp(
  server: Pick<LoopbackSftpServer, 'port' | 'hostKeyFingerprint'>,
  changes: Partial<SftpSource> = {},
): SftpSource {
  return {
    ...sourceDefaults,
    protocol: 'sftp',
    name: 'acquirer',
    host: '127.0.0.1',
    port: server.port,
    username: 'merchant',
    password: 'secret',
    privateKey: null,
    passphrase: null,
    hostKeys: [server.hostKeyFingerprint],
    knownHostsFile: null,
    folder: '/',
    connectTimeoutMs: 1000,
    stallTimeoutMs: 500,
    fileTimeoutMs: 5000,
    ...changes,
  };
}

function ftp(server: FtpTestServer, changes: Partial<FtpSource> = {}): FtpSource {
  const {
    privateKey: _1,
    passphrase: _2,
    hostKeys: _3,
    knownHostsFile: _4,
    ...shared
  } = sftp({ port: server.port, hostKeyFingerprint: '' });
  return {
    ...shared,
    protocol: 'ftp',
    tls: null,
    certificateAuthority: null,
    serverName: null,
    allowInsecure: true,
    allowSeparateTransferHost: false,
    stallTimeoutMs: 2000,
    connectTimeoutMs: 3000,
    ...changes,
  };
}

const local = (changes: Partial<LocalSource> = {}): LocalSource => ({
  ...sourceDefaults,
  protocol: 'local',
  name: 'inbox',
  folder: remote,
  ...changes,
});

interface Fetched {
  readonly files: string[];
  readonly pauses: number[];
  readonly results: FetchedFile[];
}

/** Fetches everything and says in words what became of each file; `code` of a failed or deferred one. */
async function fetchAll(source: SourceSettings, changes: Partial<FetchDependencies> = {}): Promise<Fetched> {
  const pauses: number[] = [];
  const results: FetchedFile[] = [];
  const deps: FetchDependencies = {
    dataDirectory: data,
    clock: Date.now,
    random: () => 0.5,
    sleep: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
    logger: pino({ level: 'silent' }),
    progress: silentProgress,
    signal: new AbortController().signal,
    knownFile: () => Promise.resolve(undefined),
    ...changes,
  };
  for await (const file of fetchSource(source, deps)) results.push(file);
  const files = results.map((file) =>
    'error' in file ? `${file.name}: ${file.status} ${file.error.code}` : `${file.name}: ${file.status}`,
  );
  return { files, pauses, results };
}

/** The archive holds exactly these, and no half file lies about. */
function expectArchived(...hashes: string[]): void {
  for (const sha256 of hashes) {
    const bytes = readFileSync(archivePath(data, sha256));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  }
  const archive = path.join(data, 'archive');
  const stored = existsSync(archive)
    ? readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((name) => name.length > 60)
    : [];
  expect(stored).toHaveLength(new Set(hashes).size);
  const incoming = path.join(data, 'incoming');
  expect(existsSync(incoming) ? readdirSync(incoming) : []).toEqual([]);
}

const failure = async (work: Promise<unknown>): Promise<ReconError> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (thrown: unknown) => thrown as ReconError,
  );

describe('what every protocol does', () => {
  const protocols: [string, () => Promise<SourceSettings>][] = [
    ['local', () => Promise.resolve(local())],
    ['sftp', async () => sftp(await sftpServer())],
    ['ftp', async () => ftpSource(undefined)],
    ['ftps explicit', () => ftpSource('explicit')],
    ['ftps implicit', () => ftpSource('implicit')],
  ];
  async function ftpSource(tls: 'explicit' | 'implicit' | undefined): Promise<FtpSource> {
    const server = await startFtpServer({ rootDirectory: remote, ...(tls === undefined ? {} : { tls }) });
    open.push(server);
    return tls === undefined
      ? ftp(server)
      : ftp(server, {
          protocol: 'ftps',
          tls,
          certificateAuthority: server.certificate,
          allowInsecure: false,
        });
  }

  test.each(protocols)(
    '%s: receives whole files in the order of their names, and nothing else',
    async (_name, source) => {
      const second = put('b.csv', Buffer.alloc(3_000_000, 'x'));
      const first = put('a.csv');
      put('.hidden.csv');
      put('c.csv.part');
      put('other.txt');
      mkdirSync(path.join(remote, 'folder.csv'));
      const { files } = await fetchAll(await source());
      expect(files).toEqual(['a.csv: received', 'b.csv: received']);
      expectArchived(first, second);
    },
  );

  test.each(protocols)('F27 %s: a file that is young waits for a later run', async (_name, source) => {
    put('a.csv');
    writeFileSync(path.join(remote, 'b.csv'), 'half');
    expect((await fetchAll(await source())).files).toEqual([
      'a.csv: received',
      'b.csv: deferred FILE_CHANGING',
    ]);
  });

  test.each(protocols)(
    'F41 %s: a file that is too large is refused and not fetched',
    async (_name, source) => {
      put('a.csv', 'x'.repeat(101));
      put('b.csv', 'x'.repeat(100));
      const { files } = await fetchAll({ ...(await source()), maximumSizeBytes: 100 });
      expect(files).toEqual(['a.csv: failed FILE_TOO_LARGE', 'b.csv: received']);
    },
  );

  test.each(protocols)('F18 %s: a folder with too many entries fails as a whole', async (_name, source) => {
    for (let n = 0; n < 11; n += 1) put(`${n}.csv`);
    expect(await failure(fetchAll({ ...(await source()), maximumEntries: 10 }))).toMatchObject({
      code: 'SOURCE_LISTING',
    });
    expectArchived();
  });

  test.each(protocols)(
    '%s: a folder that is not there is an error, never an empty one',
    async (_name, source) => {
      expect(await failure(fetchAll({ ...(await source()), folder: '/no/such/folder' }))).toMatchObject({
        code: 'SOURCE_LISTING',
      });
    },
  );

  test.each(protocols)('%s: a settled file is moved when its source says so', async (_name, source) => {
    put('a.csv');
    mkdirSync(path.join(remote, 'done'));
    const settings = { ...(await source()), afterSuccess: { action: 'move', folder: 'done' } } as const;
    for await (const file of fetchSource(settings, dependencies())) {
      if (file.status === 'received') await file.settle();
    }
    expect(readdirSync(remote, { recursive: true }).sort()).toEqual(['done', 'done/a.csv']);
  });
});

describe('a settled file', () => {
  test('is moved or deleted when its source says so, and only then', async () => {
    put('a.csv');
    put('b.csv');
    put('c.csv');
    mkdirSync(path.join(remote, 'done'));
    const settings = sftp(await sftpServer());
    const settle = async (changes: Partial<SftpSource>) => {
      const generator = fetchSource({ ...settings, ...changes }, dependencies());
      for await (const file of generator) if (file.status === 'received') await file.settle();
    };
    await settle({ filePattern: 'a.csv', afterSuccess: { action: 'none' } });
    await settle({ filePattern: 'b.csv', afterSuccess: { action: 'move', folder: 'done' } });
    await settle({ filePattern: 'c.csv', afterSuccess: { action: 'delete' } });
    expect(readdirSync(remote, { recursive: true }).sort()).toEqual(['a.csv', 'done', 'done/b.csv']);
  });

  test('F26 a server that refuses is told of, with an error of its own', async () => {
    put('a.csv');
    const server = await sftpServer({
      intercept: ({ kind, id, sftp: wrapper }) => {
        if (kind !== 'RENAME') return false;
        wrapper.status(id, ssh2.utils.sftp.STATUS_CODE.PERMISSION_DENIED);
        return true;
      },
    });
    for await (const file of fetchSource(
      sftp(server, { afterSuccess: { action: 'move', folder: 'done' } }),
      dependencies(),
    )) {
      if (file.status === 'received') expect(await failure(file.settle())).toMatchObject({ exitCode: 4 });
    }
  });
});

function dependencies(): FetchDependencies {
  return {
    dataDirectory: data,
    clock: Date.now,
    random: () => 0.5,
    sleep: () => Promise.resolve(),
    logger: pino({ level: 'silent' }),
    progress: silentProgress,
    signal: new AbortController().signal,
    knownFile: () => Promise.resolve(undefined),
  };
}

describe('reaching the server', () => {
  test('F1 a refused connection is tried three times with growing pauses', async () => {
    const server = await sftpServer();
    await server.close();
    open.pop();
    const pauses: number[] = [];
    const error = await failure(
      fetchAll(sftp(server), { sleep: (ms) => Promise.resolve(void pauses.push(ms)) }),
    );
    expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE', exitCode: 4 });
    expect(pauses).toEqual([750, 1500]);
  });

  test('F1 a name that does not resolve', async () => {
    const error = await failure(
      fetchAll(sftp(await sftpServer(), { host: 'no-such-host.invalid', attempts: 1 })),
    );
    expect(error.code).toBe('SOURCE_UNREACHABLE');
  });

  test.each(['sftp', 'ftp'] as const)(
    'F2 %s: a server that accepts and says nothing ends at the deadline',
    async (protocol) => {
      const silent = createServer(() => undefined);
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      open.push({ close: () => closeServer(silent) });
      const port = (silent.address() as { port: number }).port;
      const source =
        protocol === 'sftp'
          ? sftp({ port, hostKeyFingerprint: 'x' }, { attempts: 1, connectTimeoutMs: 300 })
          : ftp(
              { port, certificate: '', close: () => Promise.resolve() },
              { attempts: 1, connectTimeoutMs: 300 },
            );
      expect(await failure(fetchAll(source))).toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    },
  );

  test.each(['sftp', 'ftp'] as const)('F3 %s: a wrong password is not tried again', async (protocol) => {
    const pauses: number[] = [];
    const deps = { sleep: (ms: number) => Promise.resolve(void pauses.push(ms)) };
    const source =
      protocol === 'sftp'
        ? sftp(await sftpServer(), { password: 'wrong-password' })
        : ftp(await ftpServer(), { password: 'wrong-password' });
    const error = await failure(fetchAll(source, deps));
    expect(error).toMatchObject({ code: 'SOURCE_AUTHENTICATION' });
    expect(error.message).not.toContain('wrong-password');
    expect(pauses).toEqual([]);
  });

  test('F4 a changed host key is refused before anybody logs in, and both fingerprints are told', async () => {
    const seen: string[] = [];
    const server = await sftpServer({ intercept: ({ kind }) => seen.push(kind) < 0 });
    const pinned = `SHA256:${'A'.repeat(43)}`;
    const error = await failure(fetchAll(sftp(server, { hostKeys: [pinned] })));
    expect(error.code).toBe('SOURCE_HOST_KEY');
    expect(error.message).toContain(pinned);
    expect(error.message).toContain(server.hostKeyFingerprint);
    expect(seen).toEqual([]);
  });

  test('F4 a host key is known by a known_hosts file, too', async () => {
    put('a.csv');
    const hostKey = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
    const server = await sftpServer({ hostKeys: [hostKey.private] });
    const knownHostsFile = path.join(directory, 'known_hosts');
    writeFileSync(knownHostsFile, `[127.0.0.1]:${server.port} ${hostKey.public}\n`);
    expect((await fetchAll(sftp(server, { hostKeys: [], knownHostsFile }))).files).toEqual([
      'a.csv: received',
    ]);
    writeFileSync(knownHostsFile, `other.example ${hostKey.public}\n`);
    expect(await failure(fetchAll(sftp(server, { hostKeys: [], knownHostsFile })))).toMatchObject({
      code: 'SOURCE_HOST_KEY',
    });
  });

  test('a private key with a passphrase logs in', async () => {
    put('a.csv');
    const pair = ssh2.utils.generateKeyPairSync('ecdsa', {
      bits: 256,
      passphrase: 'open sesame',
      cipher: 'aes256-cbc',
      rounds: 4,
    });
    const server = await sftpServer({ authorizedKey: pair.public });
    const source = sftp(server, { password: null, privateKey: pair.private, passphrase: 'open sesame' });
    expect((await fetchAll(source)).files).toEqual(['a.csv: received']);
    expect(await failure(fetchAll({ ...source, passphrase: 'wrong' }))).toMatchObject({
      code: 'SOURCE_AUTHENTICATION',
    });
  });

  test('F5 a certificate of an unknown authority is refused', async () => {
    const server = await ftpServer('explicit');
    const error = await failure(
      fetchAll(ftp(server, { protocol: 'ftps', tls: 'explicit', allowInsecure: false })),
    );
    expect(error.code).toBe('SOURCE_CERTIFICATE');
  });

  test('F5 a certificate for another name is refused', async () => {
    const server = await ftpServer('explicit');
    const error = await failure(
      fetchAll(
        ftp(server, {
          protocol: 'ftps',
          tls: 'explicit',
          certificateAuthority: server.certificate,
          serverName: 'bank.example',
          allowInsecure: false,
        }),
      ),
    );
    expect(error.code).toBe('SOURCE_CERTIFICATE');
  });

  test('F6 a server without TLS gets no password', async () => {
    const said: string[] = [];
    const plain = createServer((socket) => {
      socket.write('220 ready\r\n');
      socket.on('data', (chunk) => {
        said.push(chunk.toString());
        socket.write('502 no\r\n');
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => closeServer(plain) });
    const server = {
      port: (plain.address() as { port: number }).port,
      certificate: '',
      close: () => Promise.resolve(),
    };
    const error = await failure(
      fetchAll(ftp(server, { protocol: 'ftps', tls: 'explicit', allowInsecure: false, password: 'secret' })),
    );
    expect(error.code).toBe('SOURCE_INSECURE');
    expect(said.join('')).not.toMatch(/USER|PASS|secret/);
  });

  test('plain FTP is refused unless it is allowed in so many words', async () => {
    const error = await failure(fetchAll(ftp(await ftpServer(), { allowInsecure: false })));
    expect(error.code).toBe('SOURCE_INSECURE');
  });
});

async function ftpServer(tls?: 'explicit' | 'implicit'): Promise<FtpTestServer> {
  const server = await startFtpServer({ rootDirectory: remote, ...(tls === undefined ? {} : { tls }) });
  open.push(server);
  return server;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    setTimeout(resolve, 100);
  });
}

describe('transfers that go wrong (sftp)', () => {
  /** A fault on the n-th read of a file of 3 MB, for so many attempts. */
  async function withFault(
    attempts: number,
    act: (request: Parameters<NonNullable<LoopbackSftpOptions['intercept']>>[0]) => void,
  ) {
    const sha256 = put('a.csv', Buffer.alloc(3_000_000, 'y'));
    put('b.csv');
    let faults = 0;
    const server = await sftpServer({
      intercept: (request) => {
        if (
          request.kind !== 'READ' ||
          request.path !== '/a.csv' ||
          request.offset < 1_000_000 ||
          faults >= attempts
        )
          return false;
        faults += 1;
        act(request);
        return true;
      },
    });
    return { server, sha256 };
  }

  test('F10 a server that stops in the middle is noticed, and the file fetched again from the start', async () => {
    const { server, sha256 } = await withFault(1, () => undefined);
    const { files, pauses } = await fetchAll(sftp(server, { attempts: 2 }));
    expect(files).toEqual(['a.csv: received', 'b.csv: received']);
    expect(pauses).toHaveLength(1);
    expect(readFileSync(archivePath(data, sha256))).toHaveLength(3_000_000);
  });

  test('F10 a server that stops every time costs the one file', async () => {
    const { server } = await withFault(1_000, () => undefined);
    const { files } = await fetchAll(sftp(server, { attempts: 2 }));
    expect(files).toEqual(['a.csv: failed SOURCE_STALLED', 'b.csv: received']);
  });

  test('F12 a connection cut in the middle is opened again', async () => {
    const { server, sha256 } = await withFault(1, ({ connection }) => connection.end());
    const { files } = await fetchAll(sftp(server));
    expect(files).toEqual(['a.csv: received', 'b.csv: received']);
    expect(readFileSync(archivePath(data, sha256))).toHaveLength(3_000_000);
  });

  test('F13 an end that comes too early is no end: nothing of the file is kept', async () => {
    const { server } = await withFault(1_000, ({ sftp: wrapper, id }) =>
      wrapper.status(id, ssh2.utils.sftp.STATUS_CODE.EOF),
    );
    const { files, results } = await fetchAll(sftp(server));
    expect(files).toEqual(['a.csv: failed FILE_INCOMPLETE', 'b.csv: received']);
    const [first] = results;
    expect(first !== undefined && 'error' in first ? first.error.message : '').toMatch(
      /bytes arrived of 3000000/,
    );
  });

  test('F28 a file that grows while it is read is left for a later run', async () => {
    put('a.csv', Buffer.alloc(3_000_000, 'y'));
    put('b.csv');
    let grown = false;
    const growing = await sftpServer({
      intercept: ({ kind, path: at }) => {
        if (kind === 'READ' && at === '/a.csv' && !grown) {
          grown = true;
          appendFileSync(path.join(remote, 'a.csv'), 'more');
        }
        return false;
      },
    });
    expect((await fetchAll(sftp(growing))).files).toEqual([
      'a.csv: deferred FILE_CHANGING',
      'b.csv: received',
    ]);
  });

  test('F21 a file that vanishes between listing and fetching is told', async () => {
    put('a.csv');
    put('b.csv');
    const server = await sftpServer({
      intercept: ({ kind, path: at }) => {
        if (kind === 'STAT' && at === '/a.csv' && existsSync(path.join(remote, 'a.csv')))
          unlinkSync(path.join(remote, 'a.csv'));
        return false;
      },
    });
    expect((await fetchAll(sftp(server))).files).toEqual(['a.csv: failed FILE_VANISHED', 'b.csv: received']);
  });

  test('F20 one file that may not be read does not stop the others', async () => {
    put('a.csv');
    put('b.csv');
    const server = await sftpServer({
      intercept: ({ kind, path: at, id, sftp: wrapper }) => {
        if (kind !== 'OPEN' || at !== '/a.csv') return false;
        wrapper.status(id, ssh2.utils.sftp.STATUS_CODE.PERMISSION_DENIED);
        return true;
      },
    });
    expect((await fetchAll(sftp(server))).files).toEqual([
      'a.csv: failed FILE_UNREADABLE',
      'b.csv: received',
    ]);
  });
});

describe('names and kinds', () => {
  test.each([
    ['line\nbreak.csv', 'line\\u000abreak.csv: failed FILE_NAME_UNSAFE'],
    ['esc\u001b[31m.csv', 'esc\\u001b[31m.csv: failed FILE_NAME_UNSAFE'],
    ['right\u202eleft.csv', 'right\\u202eleft.csv: failed FILE_NAME_UNSAFE'],
    ['-rf.csv', '-rf.csv: received'],
    ['$(x).csv', '$(x).csv: received'],
    ['ümläut.csv', 'ümläut.csv: received'],
  ])('F43 %j', async (name, expected) => {
    put(name);
    expect((await fetchAll(local())).files).toEqual([expected]);
  });

  test('F44 a name that is not UTF-8 is told, not skipped', async () => {
    const file = Buffer.concat([Buffer.from(`${remote}/a`), Buffer.from([0xfc]), Buffer.from('.csv')]);
    writeFileSync(file, 'x');
    utimesSync(file, old, old);
    expect((await fetchAll(local())).files).toEqual(['a\\ufffd.csv: failed FILE_NAME_UNSAFE']);
  });

  test('F45 links, and what is behind them, are not fetched', async () => {
    put('a.csv');
    symlinkSync('/etc/passwd', path.join(remote, 'b.csv'));
    expect((await fetchAll(sftp(await sftpServer()))).files).toEqual(['a.csv: received']);
    expect((await fetchAll(local())).files).toEqual(['a.csv: received']);
  });

  test('F35 names that differ only in case are two files', async () => {
    put('A.csv');
    put('a.csv');
    expect((await fetchAll(local())).files).toEqual(['A.csv: received', 'a.csv: received']);
  });

  test('F30 hidden and temporary names are ignored', async () => {
    for (const name of ['.a.csv', 'a.csv.tmp', 'a.csv.filepart', 'a.csv~', 'a.part']) put(name);
    expect((await fetchAll(local({ filePattern: '*' }))).files).toEqual([]);
  });
});

describe('what is known is not fetched again', () => {
  test('by size and time, when the file was quiet', async () => {
    const sha256 = put('a.csv');
    const source = sftp(await sftpServer());
    const { results } = await fetchAll(source);
    expect(results[0]).toMatchObject({ status: 'received', sha256, stable: true });
    const again = await fetchAll(source, {
      knownFile: (file) => Promise.resolve(file.path === '/a.csv' ? sha256 : undefined),
    });
    expect(again.files).toEqual(['a.csv: known']);
  });

  test('a file that was written a moment ago is never identified by its time', async () => {
    writeFileSync(path.join(remote, 'a.csv'), 'x');
    const { results } = await fetchAll(local({ minimumAgeSeconds: 0 }));
    expect(results[0]).toMatchObject({ status: 'received', stable: false });
  });
});

describe('the local disk', () => {
  test('F88 an archive that cannot be written ends the run', async () => {
    put('a.csv');
    mkdirSync(data);
    writeFileSync(path.join(data, 'incoming'), 'a file where a folder should be');
    expect(await failure(fetchAll(local()))).toMatchObject({ code: 'DISK_FAILED', exitCode: 6 });
  });
});
