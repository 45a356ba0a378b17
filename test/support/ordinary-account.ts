import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** An account that root can start programs as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** What comes before a command, so that the account runs it. */
  readonly through: readonly string[];
}

/**
 * An account of this machine that is not root, or why nothing can be tried as one. PostgreSQL wants one with a name.
 */
export function ordinaryAccount(): Account | string {
  if (process.geteuid?.() !== 0) return 'not root';
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = lines.map((line) => line.split(':')).find(([name]) => name === 'games' || name === 'daemon');
  if (fields === undefined) return 'there is neither an account games nor daemon';
  const [uid, gid] = [Number(fields[2]), Number(fields[3])];
  const through = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] as const;
  const main = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
  const [command, ...rest] = [...through, process.execPath, main, '--version'];
  return spawnSync(command, rest).status === 0
    ? { uid, gid, through }
    : 'the account cannot start the program (setpriv)';
}
