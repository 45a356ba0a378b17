import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { Archive } from '../src/archive/archive.js';
import { noArchiveKeys } from '../src/archive/archive-keys.js';
import { startLoopbackSftpServer } from '../src/demo/loopback-sftp-server.js';
import { fetchSource } from '../src/intake/fetch/fetch-source.js';
import { silentProgress } from '../src/progress.js';
import { RefusedLogins } from '../src/remote/refused-logins.js';
import { sourceDefaults } from '../src/remote/source-settings.js';

/** Fetching and archiving the files of an SFTP source over a link with delay. */
export interface DownloadsMeasurement {
  readonly files: number;
  readonly bytesEach: number;
  readonly downloadsAtOnce: number;
  /** From a request to the first byte of its answer. */
  readonly roundTripMs: number;
  readonly elapsedMs: number;
  readonly sessions: number;
}

/** The bytes of one direction wait this long, so a round trip takes twice this time. */
const delayMs = 20;

const nights = [
  { files: 100, bytesEach: 20_000 },
  { files: 4, bytesEach: 8_000_000 },
];

/** Downloads the same files with different numbers at once. The delay decides, so the processors hardly matter. */
export async function measureDownloads(
  counts: readonly number[],
  directory: string,
): Promise<DownloadsMeasurement[]> {
  const measured: DownloadsMeasurement[] = [];
  for (const night of nights) {
    const outgoing = path.join(directory, `outgoing-${night.files}`);
    putFiles(outgoing, night);
    const login = { username: 'merchant', password: 'secret' };
    const server = await startLoopbackSftpServer({ rootDirectory: outgoing, ...login });
    for (const downloadsAtOnce of counts) {
      const relay = await startSlowRelay(server.port);
      const data = path.join(directory, 'downloads');
      const source = {
        ...sourceDefaults,
        ...login,
        protocol: 'sftp',
        name: 'acquirer',
        host: '127.0.0.1',
        port: relay.port,
        folder: '/',
        privateKey: null,
        passphrase: null,
        hostKeys: [server.hostKeyFingerprint],
        knownHostsFile: null,
        allowSha1HostKeys: false,
        downloadsAtOnce,
      } as const;
      const started = performance.now();
      let received = 0;
      for await (const { status } of fetchSource(source, dependencies(data)))
        if (status === 'received') received += 1;
      const elapsedMs = performance.now() - started;
      if (received !== night.files) throw new Error(`${received} of ${night.files} files were received`);
      const sessions = relay.connections();
      measured.push({ ...night, downloadsAtOnce, roundTripMs: 2 * delayMs, elapsedMs, sessions });
      relay.close();
      rmSync(data, { recursive: true });
    }
    await server.close();
  }
  return measured;
}

function putFiles(folder: string, { files, bytesEach }: (typeof nights)[number]): void {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < files; at += 1) {
    const file = path.join(folder, `night-${String(at).padStart(3, '0')}.csv`);
    writeFileSync(file, Buffer.alloc(bytesEach, `${at};`));
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  }
}

const dependencies = (data: string) => ({
  archive: new Archive(data, noArchiveKeys),
  clock: Date.now,
  random: Math.random,
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  logger: pino({ level: 'silent' }),
  progress: silentProgress,
  signal: new AbortController().signal,
  refusedLogins: new RefusedLogins(),
  knownFiles: () => Promise.resolve(new Map()),
});

/** Passes bytes on after the delay, without a limit for how many are on the way. */
async function startSlowRelay(
  targetPort: number,
): Promise<{ readonly port: number; readonly connections: () => number; close(): void }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const target = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
      from.on('close', () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), delayMs);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A server that listens on TCP has an address with a port.
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
