import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ordinaryAccount } from './ordinary-account.js';

declare module 'vitest' {
  export interface TaskMeta {
    /** Why a test was skipped; the list at the end of the run names it. */
    skippedBecause?: string;
  }
}

/** Something that a machine may lack: whether it is there, and what to write beside a test that needs it. */
export interface Need {
  readonly isMet: boolean;
  /** The options of a test or group that is skipped without it. */
  readonly orSkipped: { readonly meta: { readonly skippedBecause: string } };
}

function need(isMet: boolean, skippedBecause: string): Need {
  return { isMet, orSkipped: { meta: { skippedBecause } } };
}

const succeeds = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0;

const pathOf = (command: string) =>
  spawnSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).stdout.trim();

/** The same needs in several files are asked once per file that has them. */
export const needs = {
  /** A disk in memory, which can be made small or read-only. */
  tmpfs: () =>
    need(
      succeeds('sh', '-c', 'd=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && umount $d && rmdir $d'),
      'no tmpfs can be mounted here',
    ),
  /** Mounts and a network that only one process sees. */
  namespaces: () => need(succeeds('unshare', '-mn', 'true'), 'unshare is not installed or not permitted'),
  program: (name: string) => need(pathOf(name) !== '', `${name} is not installed`),
  curl: () => need(pathOf('curl') !== '', 'curl is not installed'),
  systemdAnalyze: () =>
    need(
      succeeds('systemd-analyze', 'security', '--help') && existsSync('/lib/systemd/system'),
      'systemd-analyze is not installed',
    ),
  strace: () =>
    need(succeeds('strace', '-qq', '-e', 'trace=none', 'true'), 'strace is not installed or may not trace'),
  ownServer: () =>
    need(
      process.env['RECON_TEST_DATABASE_URL'] === undefined,
      'the server of RECON_TEST_DATABASE_URL is not ours',
    ),
  /** Another account, as which root can start programs. */
  account: () => {
    const account = ordinaryAccount();
    return need(typeof account !== 'string', typeof account === 'string' ? account : '');
  },
  root: () => need(process.getuid?.() === 0, 'it needs root'),
  prlimit: () => need(succeeds('prlimit', '--version'), 'prlimit is not installed'),
  procfs: () => need(existsSync('/proc/self/status'), 'there is no /proc'),
  openSsh: () =>
    need(
      existsSync('/usr/sbin/sshd') && existsSync('/usr/lib/openssh/sftp-server'),
      'OpenSSH (openssh-server) is not installed',
    ),
  nginx: () => need(existsSync('/usr/sbin/nginx'), 'nginx is not installed'),
  vsftpd: () => need(existsSync('/usr/sbin/vsftpd'), 'vsftpd is not installed'),
  chromium: () => {
    const command = ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
      succeeds(name, '--version'),
    );
    return {
      ...need(command !== undefined, 'Chromium is not installed'),
      command: command === undefined ? '' : pathOf(command),
    };
  },
  libreOffice: () => {
    const command = ['soffice', 'libreoffice'].find((name) => succeeds(name, '--version'));
    return { ...need(command !== undefined, 'LibreOffice is not installed'), command: command ?? '' };
  },
} as const;

/** Several needs at once; the first that is not met is the reason. */
export function all(first: Need, ...rest: readonly Need[]): Need {
  return [first, ...rest].find(({ isMet }) => !isMet) ?? first;
}
