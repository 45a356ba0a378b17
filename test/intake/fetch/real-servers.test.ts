import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fingerprintOfHostKey } from '../../../src/demo/loopback-sftp-server.js';
import { archivePath } from '../../support/archive.js';
import { fetchDependencies } from '../../support/fetch-dependencies.js';
import { freePort } from '../../support/free-port.js';
import { fetchSource } from '../../../src/intake/fetch/fetch-source.js';
import { sourceDefaults, type SourceSettings } from '../../../src/remote/source-settings.js';
import { all, needs } from '../../support/needs.js';
import { selfSignedCertificate } from '../../support/self-signed-certificate.js';
import { folderForAllTests } from '../../support/test-folder.js';

/**
 * The same transfers against common servers: OpenSSH and vsftpd, started on loopback. They are not part of `npm ci`;
 * where they are not installed the suite is skipped.
 */
const sshd = '/usr/sbin/sshd';
const vsftpd = '/usr/sbin/vsftpd';
const isRoot = process.getuid?.() === 0;

const openSsh = needs.openSsh();
// The anonymous account of vsftpd needs root.
const vsftpdAsRoot = all(needs.vsftpd(), needs.root());

const directory = folderForAllTests();
let remote: string;
let sha256: string;
const running: ChildProcess[] = [];

beforeAll(() => {
  chmodSync(directory.path, 0o755);
  remote = path.join(directory.path, 'remote');
  mkdirSync(remote);
  const content = Buffer.alloc(5_000_000, 'settlement;');
  sha256 = createHash('sha256').update(content).digest('hex');
  const old = new Date(Date.now() - 3_600_000);
  writeFileSync(path.join(remote, 'settlement.csv'), content);
  utimesSync(path.join(remote, 'settlement.csv'), old, old);
});

afterAll(() => {
  for (const server of running) server.kill('SIGKILL');
});

async function fetchOne(source: SourceSettings): Promise<string[]> {
  const data = mkdtempSync(path.join(directory.path, 'data-'));
  const received: string[] = [];
  const fetched = fetchSource(source, fetchDependencies(data));
  for await (const file of fetched)
    received.push('error' in file ? `${file.name} ${file.error.code}` : `${file.name} ${file.status}`);
  if (received[0] === 'settlement.csv received') {
    expect(
      createHash('sha256')
        .update(readFileSync(archivePath(data, sha256)))
        .digest('hex'),
    ).toBe(sha256);
  }
  return received;
}

/** Starts a server and waits until it takes connections. */
async function start(program: string, args: string[], port: number): Promise<void> {
  running.push(spawn(program, args, { stdio: 'ignore' }));
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isUp) return;
    await sleep(50);
  }
  throw new Error(`${program} did not start`);
}

describe.runIf(openSsh.isMet)('OpenSSH', openSsh.orSkipped, () => {
  test('F4 a whole file is fetched by key from a pinned host, and nothing from another host', async () => {
    const host = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
    const user = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
    const port = await freePort();
    const file = (name: string, content: string) => {
      const at = path.join(directory.path, name);
      writeFileSync(at, content, { mode: 0o600 });
      return at;
    };
    const configuration = file(
      'sshd_config',
      [
        `Port ${port}`,
        'ListenAddress 127.0.0.1',
        `HostKey ${file('host_key', host.private)}`,
        `AuthorizedKeysFile ${file('authorized_keys', `${user.public}\n`)}`,
        `PidFile ${path.join(directory.path, 'sshd.pid')}`,
        'StrictModes no',
        'UsePAM no',
        'PasswordAuthentication no',
        'Subsystem sftp internal-sftp',
      ].join('\n'),
    );
    // sshd uses this folder for privilege separation; its package creates it at boot.
    if (isRoot) mkdirSync('/run/sshd', { recursive: true });
    await start(sshd, ['-D', '-e', '-f', configuration], port);
    const source: SourceSettings = {
      ...sourceDefaults,
      protocol: 'sftp',
      name: 'acquirer',
      host: '127.0.0.1',
      port,
      username: userInfo().username,
      password: null,
      privateKey: user.private,
      passphrase: null,
      hostKeys: [fingerprintOfHostKey(host.private)],
      knownHostsFile: null,
      allowSha1HostKeys: false,
      folder: remote,
    };
    expect(await fetchOne(source)).toEqual(['settlement.csv received']);
    await expect(fetchOne({ ...source, hostKeys: [`SHA256:${'A'.repeat(43)}`] })).rejects.toMatchObject({
      code: 'SOURCE_HOST_KEY',
    });
    const stranger = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
    await expect(fetchOne({ ...source, privateKey: stranger.private })).rejects.toMatchObject({
      code: 'SOURCE_AUTHENTICATION',
    });
  });
});

describe.runIf(vsftpdAsRoot.isMet)('vsftpd', vsftpdAsRoot.orSkipped, () => {
  test.each([
    ['plain', null],
    ['with TLS that requires session reuse', 'explicit'],
  ] as const)('F7 a whole file is fetched, %s', async (_name, tls) => {
    const port = await freePort();
    const pair = selfSignedCertificate();
    const certificate = path.join(directory.path, `vsftpd-${port}.pem`);
    writeFileSync(certificate, pair.key + pair.cert, { mode: 0o600 });
    const configuration = path.join(directory.path, `vsftpd-${port}.conf`);
    writeFileSync(
      configuration,
      [
        'listen=YES',
        'listen_address=127.0.0.1',
        `listen_port=${port}`,
        'background=NO',
        'run_as_launching_user=YES',
        'anonymous_enable=YES',
        'no_anon_password=YES',
        'anon_world_readable_only=NO',
        'local_enable=NO',
        'seccomp_sandbox=NO',
        ...(tls === null
          ? []
          : [
              'ssl_enable=YES',
              'allow_anon_ssl=YES',
              'force_anon_logins_ssl=YES',
              'force_anon_data_ssl=YES',
              'require_ssl_reuse=YES',
              'ssl_ciphers=HIGH',
              `rsa_cert_file=${certificate}`,
            ]),
      ].join('\n') + '\n',
      { mode: 0o600 },
    );
    await start(vsftpd, [configuration], port);
    const source: SourceSettings = {
      ...sourceDefaults,
      protocol: tls === null ? 'ftp' : 'ftps',
      name: 'bank',
      host: '127.0.0.1',
      port,
      username: 'anonymous',
      password: 'guest@example.test',
      folder: remote,
      tls,
      certificateAuthority: tls === null ? null : pair.cert,
      serverName: null,
      allowInsecure: tls === null,
      allowSeparateTransferHost: false,
    };
    expect(await fetchOne(source)).toEqual(['settlement.csv received']);
    expect(await fetchOne(source)).toEqual(['settlement.csv received']);
  });
});
