import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchSource } from '../../../src/intake/fetch/fetch-source.js';
import type { SourceSettings } from '../../../src/remote/source-settings.js';
import { failureOf, FetchWorld, numberedBytes } from '../../support/fetch-world.js';
import { startFtpServer } from '../../support/ftp-server.js';
import { firstOf, onRequest, startSftpServer, STATUS_CODE } from '../../support/sftp-server.js';
import { startTcpProxy, type ProxyFault } from '../../support/tcp-proxy.js';

/** However many files of a source are downloaded at once, the same ones arrive, in the same order. */

let world: FetchWorld;
beforeEach(() => (world = new FetchWorld()));
afterEach(() => world.close());

type FaultOf = (connection: number) => ProxyFault | undefined;

/** A source behind a proxy, and how many sessions were opened. */
const protocols = {
  sftp: async (downloadsAtOnce: number, faultOf: FaultOf) => {
    const server = world.closing(await startSftpServer(world.remote));
    const proxy = world.closing(await startTcpProxy(server.port, faultOf));
    const source: SourceSettings = world.sftp({ ...server, port: proxy.port }, { downloadsAtOnce });
    return { source, sessions: proxy.connections };
  },
  // Data connections do not go through the proxy.
  ftp: async (downloadsAtOnce: number, faultOf: FaultOf) => {
    const server = world.closing(await startFtpServer({ rootDirectory: world.remote }));
    const proxy = world.closing(await startTcpProxy(server.port, faultOf));
    const source: SourceSettings = world.ftp(proxy, { downloadsAtOnce, stallTimeoutMs: 3000 });
    return { source, sessions: proxy.connections };
  },
};
const names = Array.from({ length: 9 }, (_, at) => `night-${at}.csv`);
const received = names.map((name) => `${name}: received`);

/** The first is large: the others arrive before it. */
function putNight(): string[] {
  return names
    .map((name, at) => world.put(name, at === 0 ? numberedBytes(3_000_000) : `content of ${name}\n`))
    .sort();
}

describe.each(['sftp', 'ftp'] as const)('%s', (protocol) => {
  const harmless = () => undefined;

  test.each([1, 4])('%i at once bring the same files in the same order', async (downloadsAtOnce) => {
    const archived = putNight();
    const { source, sessions } = await protocols[protocol](downloadsAtOnce, harmless);
    const { files, warnings } = await world.fetchAll(source);
    expect(files).toEqual(received);
    expect(world.archived()).toEqual(archived);
    expect(warnings.filter((warning) => !warning.includes('plain FTP'))).toEqual([]);
    expect(sessions()).toBeLessThanOrEqual(downloadsAtOnce);
    expect(sessions() > 1).toBe(downloadsAtOnce > 1);
  });

  test('a source with one file is read over one session', async () => {
    world.put('a.csv', numberedBytes(3_000_000));
    const { source, sessions } = await protocols[protocol](4, harmless);
    expect((await world.fetchAll(source)).files).toEqual(['a.csv: received']);
    expect(sessions()).toBe(1);
  });

  test('a server that allows one session is used with one, and that is logged once', async () => {
    const archived = putNight();
    const refuse: FaultOf = (connection) => (connection > 1 ? { kind: 'fin', afterBytes: 0 } : undefined);
    const { source, sessions } = await protocols[protocol](4, refuse);
    const { files, warnings, pauses } = await world.fetchAll(source);
    expect([files, pauses, sessions()]).toEqual([received, [], 2]);
    expect(world.archived()).toEqual(archived);
    expect(warnings.filter((warning) => !warning.includes('plain FTP'))).toEqual([
      expect.stringMatching(
        /^A session beside the first failed, so 1 is used from now on. If the server allows no more, set downloadsAtOnce: 1. /,
      ),
    ]);
  });

  test('a server that allows two sessions is used with two', async () => {
    const archived = putNight();
    const refuse: FaultOf = (connection) => (connection > 2 ? { kind: 'rst', afterBytes: 0 } : undefined);
    const { source, sessions } = await protocols[protocol](4, refuse);
    const { files, pauses } = await world.fetchAll(source);
    expect(files).toEqual(received);
    expect(pauses).toEqual([]);
    expect(sessions()).toBe(3);
    expect(world.archived()).toEqual(archived);
  });
});

test.each(['fin', 'rst', 'hole'] as const)(
  'a connection of several that breaks (%s) costs a try, and no file is lost or cut short',
  async (kind) => {
    const content = Object.fromEntries(names.map((name, at) => [name, numberedBytes(400_000 + 4 * at)]));
    const archived = names.map((name) => world.put(name, content[name] ?? '')).sort();
    const { source, sessions } = await protocols.sftp(3, (connection) =>
      connection === 2 ? { kind, afterBytes: 250_000 } : undefined,
    );
    expect((await world.fetchAll(source)).files).toEqual(received);
    expect(world.archived()).toEqual(archived);
    expect(sessions()).toBe(4);
  },
);

test('a server that answers nobody any more fails the source after three files, however many are downloaded at once', async () => {
  putNight();
  const results = await Promise.all(
    [1, 4].map(async (downloadsAtOnce) => {
      const refused = names.slice(2).map((name) =>
        onRequest({ kind: 'OPEN', path: `/${name}` }, ({ sftp, id }) => {
          sftp.status(id, STATUS_CODE.NO_CONNECTION);
          return true;
        }),
      );
      const server = world.closing(await startSftpServer(world.remote, { intercept: firstOf(...refused) }));
      const seen: string[] = [];
      const fetchAll = async () => {
        const settings = world.sftp(server, { downloadsAtOnce, attempts: 2 });
        for await (const file of fetchSource(settings, world.dependencies()))
          seen.push(`${file.name}: ${file.status}`);
      };
      const error = await failureOf(fetchAll());
      expect(error.message).toMatch(/^3 files in a row could not be fetched from source acquirer/);
      return [seen, error.code];
    }),
  );
  expect(results[1]).toEqual(results[0]);
  expect(world.incoming()).toEqual([]);
});

test('an interruption ends every download, and leaves no part of a file', async () => {
  for (const name of names) world.put(name, numberedBytes(2_000_000));
  const stop = new AbortController();
  const { source } = await protocols.sftp(4, (connection) =>
    connection > 1 ? { kind: 'drip', afterBytes: 100_000 } : undefined,
  );
  setTimeout(() => stop.abort(), 250);
  const started = Date.now();
  expect((await failureOf(world.fetchAll(source, { signal: stop.signal }))).code).toBe('RUN_INTERRUPTED');
  expect(Date.now() - started).toBeLessThan(5000);
  expect(world.incoming()).toEqual([]);
});
