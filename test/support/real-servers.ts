import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fingerprintOfHostKey, newHostKey } from '../../src/demo/loopback-sftp-server.js';
import { freePort } from './free-port.js';
import { newKeyPair } from './sftp-server.js';
import { usualCertificate } from './self-signed-certificate.js';

const sshd = '/usr/sbin/sshd';
const sftpServer = '/usr/lib/openssh/sftp-server';
const vsftpd = '/usr/sbin/vsftpd';

export interface RealServer {
  readonly port: number;
  readonly process: ChildProcess;
  close(): Promise<void>;
}

/** OpenSSH on a free port of loopback; the user who runs the tests logs in with `privateKey`. */
export async function startSshd(
  directory: string,
): Promise<
  RealServer & { readonly hostKeyFingerprint: string; readonly privateKey: string; readonly username: string }
> {
  // Where sshd drops its privileges to; only root needs it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const hostKey = newHostKey();
  const login = newKeyPair('ecdsa');
  const file = (name: string, text: string) => {
    const at = path.join(directory, name);
    writeFileSync(at, text, { mode: 0o600 });
    return at;
  };
  const port = await freePort();
  const configuration = file(
    'sshd_config',
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${file('host_key', hostKey)}`,
      `AuthorizedKeysFile ${file('authorized_keys', `${login.public}\n`)}`,
      `PidFile ${path.join(directory, 'sshd.pid')}`,
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      `Subsystem sftp ${sftpServer}`,
      '',
    ].join('\n'),
  );
  const server = await start(sshd, ['-D', '-e', '-f', configuration], port);
  return {
    ...server,
    hostKeyFingerprint: fingerprintOfHostKey(hostKey),
    privateKey: login.private,
    username: userInfo().username,
  };
}

/** vsftpd on a free port of loopback, for anonymous; with TLS it wants each data connection to resume the session. */
export async function startVsftpd(
  directory: string,
  folder: string,
  { tls }: { tls: boolean },
): Promise<RealServer & { readonly certificate: string }> {
  const pair = usualCertificate();
  const certificateFile = path.join(directory, 'vsftpd.pem');
  writeFileSync(certificateFile, pair.key + pair.cert, { mode: 0o600 });
  const port = await freePort();
  const configuration = path.join(directory, 'vsftpd.conf');
  const settings = {
    listen: 'YES',
    listen_address: '127.0.0.1',
    listen_port: port,
    background: 'NO',
    run_as_launching_user: 'YES',
    anonymous_enable: 'YES',
    local_enable: 'NO',
    write_enable: 'YES',
    anon_other_write_enable: 'YES',
    anon_world_readable_only: 'NO',
    anon_root: folder,
    xferlog_enable: 'NO',
    seccomp_sandbox: 'NO',
    idle_session_timeout: 2,
    ...(tls
      ? {
          ssl_enable: 'YES',
          allow_anon_ssl: 'YES',
          force_anon_data_ssl: 'YES',
          force_anon_logins_ssl: 'YES',
          require_ssl_reuse: 'YES',
          ssl_ciphers: 'HIGH',
          rsa_cert_file: certificateFile,
          rsa_private_key_file: certificateFile,
        }
      : {}),
  };
  writeFileSync(
    configuration,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  chmodSync(configuration, 0o600);
  return { ...(await start(vsftpd, [configuration], port)), certificate: pair.cert };
}

async function start(program: string, args: string[], port: number): Promise<RealServer> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (let waited = 0; !(await answers(port)); waited += 50) {
    if (child.exitCode !== null || waited > 5000) throw new Error(`${program} did not start: ${said}`);
    await sleep(50);
  }
  return {
    port,
    process: child,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
