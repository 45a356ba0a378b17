import { spawn } from 'node:child_process';

/** A fixed environment: PGDATA, PGOPTIONS or a foreign locale of the caller must not reach the server. */
export const serverEnvironment = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };

/** The user that the server and its programs run as; undefined: the same as recon. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/** How a program ended: its exit code, or null with the reason if it could not be started or was killed. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program until it ends, and collects its output (the last 16 KiB). */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { account: ServerAccount | undefined; cwd: string },
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: serverEnvironment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options.account,
    });
    const collect = (piece: Buffer) => (output = (output + piece.toString()).slice(-16_384));
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code, signal) =>
      resolve({ code, output: signal === null ? output : `${output}\n${signal}` }),
    );
  });
}
