import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SourceSettings } from '../../src/remote/source-settings.js';
import { fingerprintOfHostKey, newHostKey } from '../../src/demo/loopback-sftp-server.js';
import { FetchWorld, failureOf, numberedBytes } from '../support/fetch-world.js';
import { startFtpServer } from '../support/ftp-server.js';
import { startSftpServer } from '../support/sftp-server.js';
import { startTcpProxy, type ProxyFault } from '../support/tcp-proxy.js';

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

const hostKey = newHostKey();
const content = numberedBytes(600_000);
/** Long enough for the key exchange, the login and the listing. */
const afterLogin = 6000;

async function proxied(faultOf: (connection: number) => ProxyFault | undefined) {
  const server = world.closing(await startSftpServer(world.remote, { hostKeys: [hostKey] }));
  const proxy = world.closing(await startTcpProxy(server.port, faultOf));
  return {
    proxy,
    source: (changes = {}) =>
      world.sftp({ port: proxy.port, hostKeyFingerprint: fingerprintOfHostKey(hostKey) }, changes),
  };
}

test.each(['fin', 'rst', 'hole'] as const)(
  'F9 F12 a connection that ends (%s) at any byte is opened again, and the file arrives unchanged',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 610_000 }), async (afterBytes) => {
        await world.close();
        world = new FetchWorld();
        const sha256 = world.put('a.csv', content);
        const { source } = await proxied((nth) => (nth === 1 ? { kind, afterBytes } : undefined));
        const { files } = await world.fetchAll(
          source({ stallTimeoutMs: 250, connectTimeoutMs: 800, attempts: 2 }),
        );
        expect(files).toEqual(['a.csv: received']);
        expect(world.archived()).toEqual([sha256]);
      }),
      { numRuns: kind === 'hole' ? 4 : 10 },
    );
  },
);

test.each(['fin', 'rst', 'hole'] as const)(
  'F9 F12 a file whose connection ends (%s) every time is given up, and nothing of it is kept',
  async (kind) => {
    world.put('a.csv', content);
    const { source, proxy } = await proxied(() => ({ kind, afterBytes: 200_000 }));
    const { files } = await world.fetchAll(source({ attempts: 2, stallTimeoutMs: 250 }));
    expect(files[0]).toMatch(/^a.csv: failed SOURCE_(UNREACHABLE|STALLED)$/);
    expect(proxy.connections()).toBeLessThanOrEqual(3);
    expect(world.archived()).toEqual([]);
  },
);

test('F17 a server that sends very slowly is given up at the deadline of a file', async () => {
  world.put('a.csv', content);
  const { source } = await proxied(() => ({ kind: 'drip', afterBytes: afterLogin + 40_000 }));
  const started = Date.now();
  const { files } = await world.fetchAll(source({ attempts: 1, stallTimeoutMs: 1000, fileTimeoutMs: 1500 }));
  expect(files).toEqual(['a.csv: failed SOURCE_STALLED']);
  expect(Date.now() - started).toBeLessThan(8000);
  expect(world.archived()).toEqual([]);
});

test('F2 a server that accepts and stops sending during the key exchange is given up at the deadline', async () => {
  const { source } = await proxied(() => ({ kind: 'hole', afterBytes: 100 }));
  const started = Date.now();
  const error = await failureOf(world.fetchAll(source({ attempts: 2, connectTimeoutMs: 300 })));
  expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  expect(Date.now() - started).toBeLessThan(4000);
});

test('F1 pauses between tries grow and vary at random', async () => {
  const { source } = await proxied(() => ({ kind: 'rst', afterBytes: 0 }));
  const pausesWith = async (random: number) => {
    const pauses: number[] = [];
    const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
    await failureOf(world.fetchAll(source({ attempts: 4 }), { sleep, random: () => random }));
    return pauses;
  };
  expect(await pausesWith(0)).toEqual([500, 1000, 2000]);
  expect(await pausesWith(0.999)).toEqual([1000, 1999, 3998]);
});

test('an interruption ends a connection that is being made, and no socket is left', async () => {
  const { source } = await proxied(() => ({ kind: 'hole', afterBytes: 0 }));
  const interrupt = new AbortController();
  setTimeout(() => interrupt.abort(), 100);
  const started = Date.now();
  const work = world.fetchAll(source({ connectTimeoutMs: 30_000 }), { signal: interrupt.signal });
  expect(await failureOf(work)).toMatchObject({ code: 'RUN_INTERRUPTED', exitCode: 130 });
  expect(Date.now() - started).toBeLessThan(3000);
});

test('F31 F35 the same file from two sources, and two files of one name, are both kept by their bytes', async () => {
  const first = world.put('a.csv', 'one');
  const sources: SourceSettings[] = [(await proxied(() => undefined)).source()];
  const ftp = world.closing(await startFtpServer({ rootDirectory: world.remote }));
  sources.push(world.ftp(ftp), world.local());
  for (const source of sources) {
    const { results } = await world.fetchAll(source);
    expect(results).toMatchObject([{ name: 'a.csv', status: 'received', sha256: first }]);
  }
  expect(world.archived()).toEqual([first]);
  const second = world.put('a.csv', 'two');
  await world.fetchAll(world.local());
  expect(world.archived()).toEqual([first, second].sort());
});
