import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { allProcesses, userIdsOf } from './process-identity.js';
import { serverEnvironment } from './run-program.js';

/** A line of `/etc/passwd`. */
export interface NamedAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The user id of `nobody`, the same on every Linux: daemons and file servers share it. */
export const nobody = 65_534;

/** The local accounts of this machine, without those of a directory service. */
export function localAccounts(): NamedAccount[] {
  return readText('/etc/passwd')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4 && /^\d+$/.test(fields[2] ?? ''))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** The account of a user id as PostgreSQL sees it, including directory services; undefined when it has no name. */
export function accountOf(uid: number): NamedAccount | undefined {
  if (uid === process.getuid?.()) {
    try {
      const own = userInfo();
      return { name: own.username, uid: own.uid, gid: own.gid };
    } catch {
      return undefined;
    }
  }
  const local = localAccounts().find((account) => account.uid === uid);
  if (local !== undefined) return local;
  const [name, , , gid] = lookUp('passwd', uid) ?? [];
  return name === undefined ? undefined : { name, uid, gid: Number(gid) };
}

/** Whether this machine, or its directory services, have a group of this number. */
export function isGroup(gid: number): boolean {
  const local = readText('/etc/group')
    .split('\n')
    .some((line) => line.split(':')[2] === `${gid}`);
  return local || lookUp('group', gid) !== undefined;
}

/** The user ids under which processes run now, so that a server gets one that nobody uses. */
export function userIdsOfProcesses(): Set<number> {
  return new Set(allProcesses().flatMap((processId) => userIdsOf(processId) ?? []));
}

/** Also asks the directory services. A system without `getent` has none. */
function lookUp(database: 'passwd' | 'group', number: number): string[] | undefined {
  const answer = spawnSync('getent', [database, `${number}`], {
    env: serverEnvironment,
    encoding: 'utf8',
    timeout: 10_000,
  });
  return answer.status === 0 ? answer.stdout.trim().split(':') : undefined;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
