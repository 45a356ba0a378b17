import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FtpSource } from '../../src/remote/source-settings.js';
import { FetchWorld, failureOf, numberedBytes, sha256Of } from '../support/fetch-world.js';
import {
  startScriptedFtpServer,
  type ScriptedFtpOptions,
  type ScriptedFtpServer,
} from '../support/scripted-ftp-server.js';
import { selfSignedCertificate } from '../support/self-signed-certificate.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

const mlsd = ['SIZE', 'MDTM', 'MLST type*;size*;modify*;'];
const content = numberedBytes(1_000_000);
const files = { 'a.csv': content, 'b.csv': Buffer.from('b') };

async function serve(options: Partial<ScriptedFtpOptions>): Promise<ScriptedFtpServer> {
  return world.closing(await startScriptedFtpServer({ files, ...options }));
}

/** The three ways of FTP, each with its own server. */
const ways: [
  string,
  (options: Partial<ScriptedFtpOptions>, changes?: Partial<FtpSource>) => Promise<FtpSource>,
][] = [
  ['ftp', async (options, changes) => world.ftp(await serve(options), changes)],
  [
    'ftps explicit',
    async (options, changes) => world.ftps(await serve({ ...options, tls: 'explicit' }), 'explicit', changes),
  ],
  [
    'ftps implicit',
    async (options, changes) => world.ftps(await serve({ ...options, tls: 'implicit' }), 'implicit', changes),
  ],
];

describe.each(ways)('%s', (_way, source) => {
  test('receives whole files, by MLSD as by LIST', async () => {
    for (const features of [mlsd, ['SIZE', 'MDTM']]) {
      const { files: fetched } = await world.fetchAll(await source({ features }));
      expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
    }
    expect(world.archived()).toEqual([sha256Of(content), sha256Of('b')].sort());
  });

  test.each(['fin', 'cut'] as const)(
    'F13 a transfer that ends early (%s) and is called complete is started again, and finally given up',
    async (end) => {
      const send = (name: string, bytes: Buffer, nth: number) =>
        name === 'a.csv' && nth < 3
          ? ({ bytes: bytes.subarray(0, 300_000), end, reply: '226 Transfer complete' } as const)
          : undefined;
      const whole = await world.fetchAll(await source({ send }));
      expect(whole.files).toEqual(['a.csv: received', 'b.csv: received']);
      expect(whole.pauses).toHaveLength(2);
      const never = await world.fetchAll(await source({ send }, { attempts: 2 }));
      expect(never.files).toEqual(['a.csv: failed FILE_INCOMPLETE', 'b.csv: received']);
      const [first] = never.results;
      expect(first !== undefined && 'error' in first && first.error.message).toMatch(
        /300000 of 1000000 announced bytes arrived/,
      );
      expect(world.archived()).toEqual([sha256Of(content), sha256Of('b')].sort());
    },
  );

  test('F12 a data connection that is reset is tried again', async () => {
    const send = (name: string, bytes: Buffer, nth: number) =>
      name === 'a.csv' && nth === 1
        ? ({ bytes: bytes.subarray(0, 300_000), end: 'rst', reply: null } as const)
        : undefined;
    const { files: fetched, pauses } = await world.fetchAll(await source({ send }, { attempts: 2 }));
    expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
    expect(pauses.length).toBeLessThanOrEqual(1);
  });

  test('F9 a data connection that stops sending is noticed in time', async () => {
    const send = (name: string, bytes: Buffer) =>
      name === 'a.csv'
        ? ({ bytes: bytes.subarray(0, 300_000), end: 'hole', reply: null } as const)
        : undefined;
    const settings = await source({ send }, { attempts: 1, stallTimeoutMs: 300 });
    const { files: fetched } = await world.fetchAll(settings);
    expect(fetched).toEqual(['a.csv: failed SOURCE_STALLED', 'b.csv: received']);
    expect(world.archived()).toEqual([sha256Of('b')]);
  });

  test('an interruption ends a download at once and leaves no half file', async () => {
    const interrupt = new AbortController();
    const send = (_name: string, bytes: Buffer) => {
      setTimeout(() => interrupt.abort(), 100);
      return { bytes: bytes.subarray(0, 300_000), end: 'hole', reply: null } as const;
    };
    const settings = await source({ send }, { stallTimeoutMs: 30_000 });
    const started = Date.now();
    const error = await failureOf(world.fetchAll(settings, { signal: interrupt.signal }));
    expect(error).toMatchObject({ code: 'RUN_INTERRUPTED' });
    expect(Date.now() - started).toBeLessThan(5000);
    expect(world.archived()).toEqual([]);
  });
});

describe('F15 a bit that is flipped on the way', () => {
  const flip = { kind: 'flip', afterBytes: 500_000, bit: 3 } as const;
  /** Damages the data connection of the listing, of a.csv, or of b.csv. */
  const harming = (nth: number) => {
    let connections = 0;
    return async (port: number) => {
      connections += 1;
      const harmed = connections === nth;
      return world.closing(await startTcpProxy(port, () => (harmed ? flip : undefined))).port;
    };
  };

  test('is not noticed on plain FTP, which is why every run warns of it', async () => {
    const server = await serve({ features: mlsd, dataThrough: harming(2) });
    const { results, warnings } = await world.fetchAll(world.ftp(server, { downloadsAtOnce: 1 }));
    const altered = Buffer.from(content);
    altered.writeUInt8(altered.readUInt8(flip.afterBytes) ^ 8, flip.afterBytes);
    expect(results[0]).toMatchObject({ status: 'received', sha256: sha256Of(altered) });
    const warning = expect.stringMatching(/plain FTP.*altered bytes are not detected/) as unknown;
    expect(warnings).toEqual([warning]);
    expect((await world.fetchAll(world.ftp(server))).warnings).toEqual([warning]);
  });

  test.each(['explicit', 'implicit'] as const)(
    'is noticed by FTPS (%s), and the file is fetched again',
    async (tls) => {
      const server = await serve({ features: mlsd, dataThrough: harming(2), tls });
      const { files: fetched, warnings } = await world.fetchAll(world.ftps(server, tls));
      expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
      expect(world.archived()).toEqual([sha256Of(content), sha256Of('b')].sort());
      expect(warnings.join()).not.toMatch(/plain FTP/);
    },
  );
});

describe('F5 F6 protection', () => {
  const ftps = { protocol: 'ftps', tls: 'explicit', allowInsecure: false } as const;

  test.each<[string, Partial<ScriptedFtpOptions>, Partial<FtpSource>, string, string]>([
    [
      'an unknown authority',
      {},
      { certificateAuthority: null },
      'SOURCE_CERTIFICATE',
      'the authority of the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); no password was sent.',
    ],
    [
      'another name',
      {},
      { serverName: 'bank.example' },
      'SOURCE_CERTIFICATE',
      'it names DNS:localhost, IP Address:127.0.0.1; no password was sent.',
    ],
    [
      'an expired certificate',
      { certificate: selfSignedCertificate('localhost', -0.5) },
      {},
      'SOURCE_CERTIFICATE',
      'the certificate has expired (CERT_HAS_EXPIRED); no password was sent.',
    ],
    ['TLS 1.1', { tlsVersion: 'TLSv1.1' }, {}, 'SOURCE_INSECURE', 'TLS 1.2 or newer'],
  ])('%s is refused, and no password sent', async (_what, options, changes, code, words) => {
    for (const tls of ['explicit', 'implicit'] as const) {
      const server = await serve({ ...options, tls });
      const error = await failureOf(world.fetchAll(world.ftps(server, tls, changes)));
      // An old implicit server closes the connection without saying why.
      const hangsUp = tls === 'implicit' && options.tlsVersion !== undefined;
      expect(error).toMatchObject({ code: hangsUp ? 'SOURCE_UNREACHABLE' : code, exitCode: 4 });
      if (!hangsUp) expect(error.message).toContain(words);
      expect(server.commands.join()).not.toMatch(/USER|PASS/);
    }
  });

  test('a certificate for the name that is configured is accepted, and only for that', async () => {
    const named = selfSignedCertificate('bank.example');
    const server = await serve({ certificate: named, tls: 'explicit' });
    const accepted = await world.fetchAll(world.ftps(server, 'explicit', { serverName: 'bank.example' }));
    expect(accepted.files).toContain('a.csv: received');
    const error = await failureOf(
      world.fetchAll(world.ftps(server, 'explicit', { serverName: 'localhost' })),
    );
    expect(error.code).toBe('SOURCE_CERTIFICATE');
  });

  test.each(['502 no', '500 what?', '234'])(
    'AUTH TLS answered with %s by the wire: no password',
    async (answer) => {
      const server = await serve({ reply: (command) => (command === 'AUTH' ? answer : undefined) });
      const error = await failureOf(
        world.fetchAll(world.ftp(server, { ...ftps, attempts: 1, connectTimeoutMs: 500 })),
      );
      expect(error.exitCode).toBe(4);
      if (answer !== '234') expect(error.code).toBe('SOURCE_INSECURE');
      expect(server.commands.join()).not.toMatch(/USER|PASS/);
    },
  );

  test.each([
    [undefined, 'SOURCE_AUTHENTICATION'],
    // Before TLS 1.3, no alert said that.
    ['TLSv1.2', 'SOURCE_INSECURE'],
  ] as const)('a server that wants a client certificate says so (%s)', async (tlsVersion, code) => {
    const server = await serve({
      tls: 'explicit',
      wantsClientCertificate: true,
      ...(tlsVersion === undefined ? {} : { tlsVersion }),
    });
    const { error, pauses } = await failed(world.ftps(server, 'explicit'));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/asks for a client certificate, which recon does not have/);
    expect(pauses).toEqual([]);
    expect(server.commands.join()).not.toMatch(/PASS/);
  });

  test('a server that sends listings without TLS is refused', async () => {
    const server = await serve({ tls: 'explicit', hasPlainData: true });
    const { error, pauses } = await failed(world.ftps(server, 'explicit'));
    expect(error).toMatchObject({
      code: 'SOURCE_INSECURE',
      message: expect.stringContaining('could not list /: its data connections have no TLS') as string,
    });
    expect(pauses).toEqual([]);
  });

  test('implicit TLS to a server without it', async () => {
    const server = await serve({});
    const error = await failureOf(
      world.fetchAll(world.ftp(server, { ...ftps, tls: 'implicit', attempts: 1, connectTimeoutMs: 500 })),
    );
    expect(error).toMatchObject({
      code: 'SOURCE_INSECURE',
      exitCode: 4,
      message: expect.stringContaining('answered without TLS') as string,
    });
    expect(error.message).toContain('set tls: explicit');
    expect(server.commands.join()).not.toMatch(/USER|PASS/);
  });

  test.each<[string, Partial<FtpSource>, string]>([
    ['explicit TLS', ftps, 'set tls: implicit'],
    ['plain FTP', {}, 'set protocol: ftps with tls: implicit'],
  ])('%s to a server that expects TLS at once', async (_what, changes, advice) => {
    const server = await serve({ tls: 'implicit' });
    const source = world.ftp(server, { ...changes, attempts: 1, connectTimeoutMs: 500 });
    const error = await failureOf(world.fetchAll(source));
    expect(error).toMatchObject({
      code: 'SOURCE_UNREACHABLE',
      message: expect.stringContaining('sent no greeting (no answer within 0.5 s)') as string,
    });
    expect(error.message).toContain(advice);
    expect(server.commands).toEqual([]);
  });

  test('plain FTP is refused before it connects, unless it is allowed; then every run warns', async () => {
    const server = await serve({});
    const error = await failureOf(world.fetchAll(world.ftp(server, { allowInsecure: false })));
    expect(error.code).toBe('SOURCE_INSECURE');
    expect(server.connections()).toBe(0);
    expect((await world.fetchAll(world.ftp(server))).warnings.join()).toMatch(/plain FTP/);
  });

  // Pure-FTPd answers 421, vsftpd 530.
  test.each([
    ['421 Sorry, cleartext sessions are not accepted', 'SOURCE_UNREACHABLE'],
    ['530 Non-anonymous sessions must use encryption.', 'SOURCE_AUTHENTICATION'],
  ])('plain FTP to a server that requires TLS (%s)', async (reply, code) => {
    const server = await serve({ reply: (command) => (command === 'USER' ? reply : undefined) });
    const { error } = await failed(world.ftp(server));
    expect(error.code).toBe(code);
    expect(error.message).toContain('before it asked for the password, which was not sent');
    expect(error.message).toContain('If it requires TLS, set protocol: ftps.');
    const encrypted = await serve({
      tls: 'explicit',
      reply: (command) => (command === 'USER' ? reply : undefined),
    });
    expect((await failed(world.ftps(encrypted, 'explicit'))).error.message).not.toContain('protocol: ftps');
  });

  test('too many connections are not reported as missing TLS, and are tried again', async () => {
    const server = await serve({
      tls: 'explicit',
      reply: (command) => (command === 'AUTH' ? '421 too many' : undefined),
    });
    const { error, pauses } = await failed(world.ftps(server, 'explicit'));
    expect(error.code).toBe('SOURCE_UNREACHABLE');
    expect(pauses).toHaveLength(2);
  });
});

async function failed(source: FtpSource) {
  const pauses: number[] = [];
  const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
  return { error: await failureOf(world.fetchAll(source, { sleep })), pauses };
}

describe('F3 the login', () => {
  test.each(['530 no', '430 no', '332 account'])(
    'a refusal (%s) is reported once and not tried again',
    async (answer) => {
      const server = await serve({ reply: (command) => (command === 'PASS' ? answer : undefined) });
      const { error, pauses } = await failed(world.ftp(server, { password: 'hunter2' }));
      expect(error.code).toBe('SOURCE_AUTHENTICATION');
      expect(error.message).not.toContain('hunter2');
      expect(pauses).toEqual([]);
      expect(server.connections()).toBe(1);
    },
  );
});

describe('data connections', () => {
  test('F8 a data connection to another host is refused, and not opened', async () => {
    let connected = 0;
    const elsewhere = createServer(() => (connected += 1));
    await new Promise<void>((resolve) => elsewhere.listen(0, '0.0.0.0', resolve));
    const { port } = elsewhere.address() as { port: number };
    const reply = (command: string) =>
      command === 'EPSV'
        ? '502 no'
        : command === 'PASV'
          ? `227 ok (192,0,2,1,${port >> 8},${port & 255})`
          : undefined;
    const server = await serve({ reply });
    const { error, pauses } = await failed(world.ftp(server));
    elsewhere.close();
    expect(error).toMatchObject({ code: 'SOURCE_INSECURE' });
    expect(error.message).toMatch(/another host/);
    expect(pauses).toEqual([]);
    expect(connected).toBe(0);
  });

  test.each([
    ['501 EPSV and PASV are not allowed', 'SOURCE_LISTING', []],
    ['425 no ports available', 'SOURCE_UNREACHABLE', [expect.any(Number), expect.any(Number)]],
  ])(
    'a server that refuses passive connections with %s is described as such',
    async (answer, code, pauses) => {
      const reply = (command: string) => (/^(EPSV|PASV)$/.test(command) ? answer : undefined);
      const server = world.closing(
        await startScriptedFtpServer({ files: { 'a.csv': Buffer.from('a') }, reply }),
      );
      const slept: number[] = [];
      const sleep = (ms: number) => Promise.resolve(void slept.push(ms));
      await expect(world.fetchAll(world.ftp(server), { sleep })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(
          new RegExp(`could not list /: it refuses passive data connections, .*reply ${answer.slice(0, 3)}`),
        ) as string,
      });
      expect(slept).toEqual(pauses);
    },
  );

  test.each([
    [
      'that closes a port of passive connections',
      '227 Entering Passive Mode (127,0,0,1,0,1)',
      /no data connection could be opened/,
    ],
    ['that hangs up instead', null, /The connection to .* was lost; it could not list/],
  ])('a server %s is described as such', async (_what, answer, message) => {
    const reply = (command: string) => (/^(EPSV|PASV)$/.test(command) ? answer : undefined);
    const { error } = await failed(world.ftp(await serve({ reply })));
    expect(error.code).toBe('SOURCE_UNREACHABLE');
    expect(error.message).toMatch(message);
  });

  test('a data connection that cannot be opened is tried again', async () => {
    let refusals = 0;
    const reply = (command: string) =>
      command === 'RETR' && (refusals += 1) === 1 ? '425 no connection' : undefined;
    const { files: fetched, pauses } = await world.fetchAll(
      world.ftp(await serve({ reply }), { attempts: 2 }),
    );
    expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
    expect(pauses.length).toBeLessThanOrEqual(1);
  });
});

describe('F14 servers that support few commands', () => {
  const limited = (command: string) => (command === 'SIZE' || command === 'MDTM' ? '502 no' : undefined);

  test('without SIZE and MLSD a file is read twice, and taken when both are equal', async () => {
    const server = await serve({ features: [], reply: limited });
    const { files: fetched, results } = await world.fetchAll(world.ftp(server));
    expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
    expect(results[0]).toMatchObject({ modifiedAtMs: null, stable: false, sha256: sha256Of(content) });
    expect(server.commands.filter((command) => command === 'RETR /a.csv')).toHaveLength(2);
  });

  test('a reply to SIZE without a number is not taken for a lost connection', async () => {
    const reply = (command: string) => (command === 'SIZE' ? '213 File status' : undefined);
    const server = await serve({ reply });
    const { files: fetched, pauses } = await world.fetchAll(world.ftp(server, { downloadsAtOnce: 1 }));
    expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
    expect([pauses, server.connections()]).toEqual([[], 1]);
  });

  test('without SIZE and MDTM a file is moved, but not over one of its name', async () => {
    const afterSuccess = { action: 'move', folder: 'done' } as const;
    for (const [listed, target] of [
      ['other.csv', '/done/b.csv'],
      ['b.csv', `/done/b-${sha256Of('b').slice(0, 8)}.csv`],
    ] as const) {
      const server = await serve({
        features: [],
        reply: limited,
        listing: (argument) =>
          [argument.endsWith('/done') ? listed : 'b.csv'].map(
            (name) => `-rw-r--r-- 1 a a 1 Jan 1 2026 ${name}\r\n`,
          ),
      });
      await world.fetchAll(world.ftp(server, { afterSuccess, filePattern: 'b.csv' }), { settles: true });
      expect(server.commands.filter((command) => command.startsWith('RNTO'))).toEqual([`RNTO ${target}`]);
    }
  });

  test('without SIZE and MDTM a file is moved into a folder with more files than are fetched, if all are listed', async () => {
    const afterSuccess = { action: 'move', folder: 'done' } as const;
    const moves = async (listed: string) => {
      const names = Array.from({ length: 30 }, (_, n) => `old-${n}.csv`);
      const server = await serve({
        features: [],
        reply: limited,
        listing: (argument) =>
          (argument.endsWith('/done') ? names : ['b.csv']).map(
            (name) => `-rw-r--r-- 1 a a 1 Jan 1 2026 ${name}\r\n`,
          ),
        listed: (argument) => (argument.endsWith('/done') ? listed : '226 done'),
      });
      const source = world.ftp(server, { afterSuccess, filePattern: 'b.csv', maximumEntries: 5 });
      const moved = world.fetchAll(source, { settles: true }).then(() => null);
      const error = await moved.catch((thrown: unknown) => thrown);
      return { error, renamed: server.commands.filter((command) => command.startsWith('RNTO')) };
    };
    expect(await moves('226 30 matches')).toEqual({ error: null, renamed: ['RNTO /done/b.csv'] });
    // The name may be taken, and a server may replace the file that has it.
    expect(await moves('226 Output truncated to 30 matches')).toMatchObject({
      error: { code: 'SOURCE_LISTING' },
      renamed: [],
    });
  });

  test('a transfer that ends early once differs from the other', async () => {
    const send = (name: string, bytes: Buffer, nth: number) =>
      name === 'a.csv' && nth % 2 === 1
        ? ({ bytes: bytes.subarray(0, 300_000), end: 'fin', reply: '226 done' } as const)
        : undefined;
    const server = await serve({ features: [], reply: limited, send });
    const { files: fetched } = await world.fetchAll(world.ftp(server, { attempts: 2 }));
    expect(fetched).toEqual(['a.csv: failed FILE_INCOMPLETE', 'b.csv: received']);
    expect(world.archived()).toEqual([sha256Of('b')]);
  });

  test('F12 F14 without SIZE, a transfer that always ends at the same byte is compared with the listing', async () => {
    const send = (name: string, bytes: Buffer) =>
      name === 'a.csv'
        ? ({ bytes: bytes.subarray(0, 300_000), end: 'fin', reply: '226 done' } as const)
        : undefined;
    for (const features of [[], ['MLST type*;size*;modify*;']]) {
      const server = await serve({ features, reply: limited, send });
      const { files: fetched } = await world.fetchAll(world.ftp(server, { attempts: 2 }));
      expect(fetched).toEqual(['a.csv: failed FILE_INCOMPLETE', 'b.csv: received']);
    }
    expect(world.archived()).toEqual([sha256Of('b')]);
  });

  test('F27 without SIZE, a file that has grown since it was listed is left', async () => {
    const listing = () => [5, 1].map((size, at) => `-rw-r--r-- 1 a a ${size} Jan 1 2026 ${'ab'[at]}.csv\r\n`);
    const reply = (command: string) => (command === 'SIZE' ? '502 no' : undefined);
    const server = await serve({ features: ['MDTM'], reply, listing });
    const { files: fetched } = await world.fetchAll(world.ftp(server));
    expect(fetched).toEqual(['a.csv: deferred FILE_CHANGING', 'b.csv: received']);
  });

  test('F27 without times it is listed twice with a pause, and what has grown is left', async () => {
    let listings = 0;
    const listing = () => {
      listings += 1;
      return [
        `-rw-r--r-- 1 a a ${listings === 1 ? 5 : 7} Jan 1 2026 a.csv\r\n`,
        `-rw-r--r-- 1 a a 1 Jan 1 2026 b.csv\r\n`,
      ];
    };
    const server = await serve({ features: [], reply: limited, listing });
    const { files: fetched, pauses } = await world.fetchAll(world.ftp(server));
    expect(fetched).toEqual(['a.csv: deferred FILE_CHANGING', 'b.csv: received']);
    expect([listings, pauses]).toEqual([2, [3000]]);
  });

  test('F27 a young file waits, by MDTM where the listing has no times', async () => {
    const modified = new Date(Date.now() - 30_000).toISOString().replace(/\D/g, '').slice(0, 14);
    for (const features of [mlsd, ['SIZE', 'MDTM']]) {
      const { files: fetched } = await world.fetchAll(world.ftp(await serve({ features, modified })));
      expect(fetched).toEqual(['a.csv: deferred FILE_CHANGING', 'b.csv: deferred FILE_CHANGING']);
    }
  });

  test('MLSD and MDTM in different time zones do not defer a file forever', async () => {
    const reply = (command: string) => (command === 'MDTM' ? '213 20260101020000.123' : undefined);
    const { files: fetched } = await world.fetchAll(world.ftp(await serve({ features: mlsd, reply })));
    expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
  });
});

describe('listings', () => {
  test('F18 an endless listing ends at the cap', async () => {
    const listing = function* () {
      for (let n = 0; ; n += 1)
        yield `-rw-r--r-- 1 a a 1 Jan 1 2026 ${'x'.repeat(200)}${n}.csv\r\n`.repeat(1000);
    };
    const server = await serve({ listing });
    const error = await failureOf(
      world.fetchAll(world.ftp(server, { stallTimeoutMs: 5000, fileTimeoutMs: 30_000 })),
    );
    expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
  });

  test('an unreadable listing is not taken for an empty folder', async () => {
    const listing = () => ['a.csv;1  12/34  [SYSTEM]  (RWED)\r\n', '%% what is this %%\r\n'];
    const error = await failureOf(world.fetchAll(world.ftp(await serve({ features: [], listing }))));
    expect(error).toMatchObject({ code: 'SOURCE_LISTING' });
  });

  test.each(['550 no such folder', '450 busy'])(
    'a missing folder (%s) is not taken for an empty folder',
    async (answer) => {
      const reply = (command: string) => (command === 'CWD' ? answer : undefined);
      const error = await failureOf(
        world.fetchAll(world.ftp(await serve({ reply }), { folder: '/none', attempts: 1 })),
      );
      expect(error.exitCode).toBe(4);
    },
  );

  test('F42 F43 names with control characters are reported; F45 links and folders are not fetched', async () => {
    const listing = () => [
      'type=file;size=1;modify=20260101000000; b.csv\r\n',
      'type=file;size=1;modify=20260101000000; esc\u001b[2J.csv\r\n',
      'type=file;size=1;modify=20260101000000; ..\\x.csv\r\n',
      'type=dir;modify=20260101000000; folder.csv\r\n',
      'type=OS.unix=slink:/etc/passwd;size=1;modify=20260101000000; link.csv\r\n',
    ];
    const server = await serve({ features: mlsd, listing });
    const { files: fetched } = await world.fetchAll(world.ftp(server));
    expect(fetched).toEqual([
      '..\\u005cx.csv: failed FILE_NAME_UNSAFE',
      'b.csv: received',
      'esc\\u001b[2J.csv: failed FILE_NAME_UNSAFE',
    ]);
    expect(server.commands.filter((command) => command.startsWith('RETR'))).toEqual(['RETR /b.csv']);
  });

  test('F41 a server that lies about the size is stopped at the limit', async () => {
    const send = (_name: string, bytes: Buffer) => ({ bytes, end: 'fin', reply: '226 done' }) as const;
    const reply = (command: string, argument: string) =>
      command === 'SIZE' && argument.endsWith('a.csv') ? '213 10' : undefined;
    const listing = () => [
      '-rw-r--r-- 1 a a 10 Jan 1 2026 a.csv\r\n',
      '-rw-r--r-- 1 a a 1 Jan 1 2026 b.csv\r\n',
    ];
    const settings = world.ftp(await serve({ send, reply, listing }), { maximumSizeBytes: 1000 });
    expect((await world.fetchAll(settings)).files).toEqual([
      'a.csv: failed FILE_TOO_LARGE',
      'b.csv: received',
    ]);
    expect(world.archived()).toEqual([sha256Of('b')]);
  });
});

describe('one file that fails', () => {
  test('F20 not readable, the others go on', async () => {
    const reply = (command: string, argument: string) =>
      command === 'RETR' && argument === '/a.csv' ? '550 permission denied' : undefined;
    expect((await world.fetchAll(world.ftp(await serve({ reply })))).files).toEqual([
      'a.csv: failed FILE_UNREADABLE',
      'b.csv: received',
    ]);
  });

  test('F21 vanished, the others go on', async () => {
    const reply = (command: string, argument: string) =>
      /SIZE|RETR/.test(command) && argument === '/a.csv' ? '550 no such file' : undefined;
    expect((await world.fetchAll(world.ftp(await serve({ reply })))).files).toEqual([
      'a.csv: failed FILE_VANISHED',
      'b.csv: received',
    ]);
  });

  test('F22 a session that the server closed between two files is opened again, and costs no try', async () => {
    let isClosed = false;
    const reply = (command: string, argument: string) => {
      if (isClosed || command !== 'SIZE' || argument !== '/b.csv') return undefined;
      isClosed = true;
      return null;
    };
    const server = await serve({ reply });
    const { files: fetched, pauses } = await world.fetchAll(
      world.ftp(server, { attempts: 1, downloadsAtOnce: 1 }),
    );
    expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
    expect([pauses, server.connections()]).toEqual([[], 2]);
  });

  test('F22 a server that closes its connection after each transfer is read, at no cost of tries', async () => {
    let isAfterTransfer = false;
    const server = await serve({
      features: mlsd,
      send: () => {
        isAfterTransfer = true;
        return undefined;
      },
      reply: () => {
        const reply = isAfterTransfer ? null : undefined;
        isAfterTransfer = false;
        return reply;
      },
    });
    const settings = world.ftp(server, {
      attempts: 1,
      downloadsAtOnce: 1,
      afterSuccess: { action: 'delete' },
    });
    const { files: fetched, pauses } = await world.fetchAll(settings, { settles: true });
    expect(fetched).toEqual(['a.csv: received', 'b.csv: received']);
    expect([pauses, server.connections()]).toEqual([[], 3]);
    expect(server.commands.filter((command) => command.startsWith('RETR'))).toHaveLength(2);
    expect(server.commands.filter((command) => command.startsWith('DELE'))).toHaveLength(2);
  });

  test('F12 a connection that is lost twice at the look after a transfer is tried again with the transfer', async () => {
    let looks = 0;
    const reply = (command: string, argument: string) => {
      if (command !== 'SIZE' || argument !== '/b.csv') return undefined;
      looks += 1;
      return looks === 2 || looks === 3 ? null : undefined;
    };
    const server = await serve({ features: mlsd, reply });
    const { files: fetched } = await world.fetchAll(
      world.ftp(server, { downloadsAtOnce: 1, filePattern: 'b.csv' }),
    );
    expect(fetched).toEqual(['b.csv: received']);
    expect(server.commands.filter((command) => command.startsWith('RETR'))).toHaveLength(2);
  });

  test('F26 a refusal to move or delete does not harm what was received', async () => {
    const reply = (command: string) => (/DELE|RNTO/.test(command) ? '550 no' : undefined);
    for (const afterSuccess of [{ action: 'delete' }, { action: 'move', folder: 'done' }] as const) {
      const settings = world.ftp(await serve({ reply }), { afterSuccess, filePattern: 'b.csv' });
      expect(await failureOf(world.fetchAll(settings, { settles: true }))).toMatchObject({ exitCode: 4 });
    }
    expect(world.archived()).toEqual([sha256Of('b')]);
  });
});

test('F2 F17 a control connection that sends very slowly is given up', async () => {
  const server = await serve({});
  const proxy = world.closing(await startTcpProxy(server.port, () => ({ kind: 'drip', afterBytes: 5 })));
  const started = Date.now();
  const error = await failureOf(world.fetchAll(world.ftp(proxy, { attempts: 1, connectTimeoutMs: 500 })));
  expect(error.code).toBe('SOURCE_UNREACHABLE');
  expect(Date.now() - started).toBeLessThan(3000);
});
