import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import { processIdentity, userIdsOf } from './process-identity.js';

/**
 * What `postmaster.pid` of a cluster says. The account of the server writes it, so it is a hint: nothing is
 * signalled or connected to on the strength of it (see `find-server.ts`).
 */
export interface Postmaster {
  readonly processId: number;
  /** Names this one process, and no later one with its number. */
  readonly identity: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** `.` is the cluster. */
  readonly socketDirectory: string;
  /** `starting`, `ready`, `stopping`; empty in the first moment. */
  readonly status: string;
}

const fileOf = (cluster: string) => path.join(cluster, 'postmaster.pid');

/** PostgreSQL writes eight short lines; whatever is longer is not from it. */
const longestBytes = 8192;

/**
 * The process that `postmaster.pid` names, when it lives and runs as the owner of the cluster.
 *
 * @throws ReconError DATABASE_EMBEDDED when the file is a link or belongs to somebody else
 */
export function readPostmaster(cluster: string, whose?: 'of any user'): Postmaster | undefined {
  const lines = readPostmasterFile(cluster);
  const processId = Number(lines[0]);
  if (!Number.isInteger(processId) || processId <= 0) return undefined;
  const identity = processIdentity(processId);
  if (identity === undefined) return undefined;
  if (whose === undefined && !runsAsOwner(processId, cluster)) return undefined;
  return {
    processId,
    identity,
    startedAt: Number(lines[2]) * 1000,
    socketDirectory: lines[4]?.trim() ?? '',
    status: lines[7]?.trim() ?? '',
  };
}

/** Where there is no /proc nobody can say; `find-server.ts` then trusts only what this process started. */
function runsAsOwner(processId: number, cluster: string): boolean {
  if (process.platform !== 'linux') return true;
  const owner = statSync(cluster).uid;
  return userIdsOf(processId)?.every((uid) => uid === owner) === true;
}

/**
 * The processes that made shared memory for the cluster which is still in use; alive or not. Of a server that crashed
 * the memory outlives it while its children work: they end as soon as they look up from what they are doing.
 * PostgreSQL takes the inode of the cluster as the key of that memory, or one of the next numbers.
 */
export function makersOfSharedMemory(cluster: string): number[] {
  const found = statSync(cluster, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const named = readPostmasterFile(cluster)[6]?.trim().split(/\s+/)[1];
  // Columns: key, shmid, perms, size, cpid, lpid, nattch, uid …
  return readText('/proc/sysvipc/shm')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([key, id, , , , , attached, uid]) =>
        (id === named || Number(key) === (found.ino | 0)) &&
        Number(attached) > 0 &&
        Number(uid) === found.uid,
    )
    .map((row) => Number(row[4]));
}

/**
 * Removes the file of a server that is gone. PostgreSQL does so itself unless its number is taken, by a zombie or,
 * which after a restart of a container is the rule, by some other program: then it refuses to start. Only to be
 * called when no server was found and nobody is left of it.
 */
export function removeStalePostmasterFile(cluster: string): void {
  rmSync(fileOf(cluster), { force: true });
}

/** The socket directory that the file names, also when the server is gone. */
export function recordedSocketDirectory(cluster: string): string {
  return readPostmasterFile(cluster)[4]?.trim() ?? '';
}

function readPostmasterFile(cluster: string): string[] {
  const file = fileOf(cluster);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const owner = statSync(cluster).uid;
  // Root may have restored it from a copy.
  if (!found.isFile() || ![owner, 0].includes(found.uid))
    throw foreign(file, found.isFile(), found.uid, owner);
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
  try {
    const opened = fstatSync(descriptor);
    if (!opened.isFile() || ![owner, 0].includes(opened.uid)) {
      throw foreign(file, opened.isFile(), opened.uid, owner);
    }
    const buffer = Buffer.alloc(longestBytes);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, longestBytes, 0)).split('\n');
  } finally {
    closeSync(descriptor);
  }
}

function foreign(file: string, isFile: boolean, uid: number, owner: number): ReconError {
  return new ReconError(
    'DATABASE_EMBEDDED',
    isFile
      ? `${file} belongs to user ${uid}, but the database belongs to user ${owner}. The file was not used, and nothing was started or ended. Check that no server runs on ${path.dirname(file)}, then remove the file.`
      : `${file} is a link or a special file, which PostgreSQL never makes. It was not used, and nothing was started or ended. Check that no server runs on ${path.dirname(file)}, then remove it.`,
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
