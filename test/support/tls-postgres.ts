import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { locateBinaries } from '../../src/db/embedded/locate-binaries.js';
import { freePort } from './free-port.js';
import { serverFolder, serverPrefix } from './server-folder.js';

export interface TcpPostgres {
  readonly port: number;
  readonly pid: number;
  close(): Promise<void>;
}

/**
 * A real PostgreSQL on 127.0.0.1, with a certificate or without TLS.
 *
 * @param rules lines of pg_hba.conf
 */
export async function startTcpPostgres(
  rules: string,
  certificate?: { readonly key: string; readonly cert: string },
): Promise<TcpPostgres> {
  const directory = mkdtempSync(path.join(serverFolder(), `${serverPrefix}${process.pid}-tcp-`));
  chmodSync(directory, 0o755);
  // PostgreSQL refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
  const { directory: native } = await locateBinaries(directory, account);
  const cluster = path.join(directory, 'cluster');
  const own = (file: string) => account !== undefined && chownSync(file, account.uid, account.gid);
  mkdirSync(cluster, { mode: 0o700 });
  own(cluster);
  const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, cwd: cluster, ...account };
  const made = spawnSync(
    path.join(native, 'bin/initdb'),
    ['-D', cluster, '-U', 'recon', '--auth', 'trust', '--no-sync', '--locale', 'C', '-E', 'UTF8'],
    { ...options, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stdout}${made.stderr}`);
  const place = (name: string, content: string) => {
    writeFileSync(path.join(cluster, name), content, { mode: 0o600 });
    own(path.join(cluster, name));
  };
  place('pg_hba.conf', `${rules}\n`);
  if (certificate !== undefined) {
    place('server.key', certificate.key);
    place('server.crt', certificate.cert);
  }
  const port = await freePort();
  const settings = {
    ssl: certificate === undefined ? 'off' : 'on',
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    // A killed server still has what it committed, but not a machine without power.
    fsync: 'off',
    full_page_writes: 'off',
  };
  const server = spawn(
    path.join(native, 'bin/postgres'),
    ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...options, stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => server.once('close', resolve));
  await untilListening(port);
  return {
    port,
    // It is listening.
    pid: server.pid ?? 0,
    close: async () => {
      server.kill('SIGINT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isUp) return;
    await sleep(100);
  }
  throw new Error(`PostgreSQL does not listen on port ${port}`);
}
