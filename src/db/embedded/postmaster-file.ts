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
import { isMissing } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import { processIdentity, userIdsOf } from './process-identity.js';

/**
 * The content of a cluster's `postmaster.pid`. The account of the server writes it, so it is only a hint: recon does
 * not signal a process or connect to a server because of it alone (see `find-server.ts`).
 */
export interface Postmaster {
  readonly processId: number;
  /** Identifies this process, and no later one with the same id. */
  readonly identity: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** `.` means the cluster. */
  readonly socketDirectory: string;
  /** `starting`, `ready`, `stopping`; empty at first. */
  readonly status: string;
}

const fileOf = (cluster: string) => path.join(cluster, 'postmaster.pid');

/** PostgreSQL writes eight short lines; a longer file is not from PostgreSQL. */
const longestBytes = 8192;

/**
 * The process that `postmaster.pid` names, if it lives and runs as the owner of the cluster.
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

/** Without /proc this cannot be determined; `find-server.ts` then trusts only servers that this process started. */
function runsAsOwner(processId: number, cluster: string): boolean {
  if (process.platform !== 'linux') return true;
  const owner = statSync(cluster).uid;
  return userIdsOf(processId)?.every((uid) => uid === owner) === true;
}

/**
 * The processes, running or ended, that created shared memory for the cluster that is still in use. After a server
 * crashes, its memory exists while its children work; they end after their current statement. PostgreSQL uses the inode
 * of the cluster as the key of that memory, or one of the next numbers.
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
 * Removes the file of a server that has ended. PostgreSQL does so itself unless its process id is in use, by a zombie
 * or (usual after a restart of a container) by another program: then it refuses to start. Call this only if no server
 * and none of its processes was found.
 */
export function removeStalePostmasterFile(cluster: string): void {
  rmSync(fileOf(cluster), { force: true });
}

/** The socket directory that the file names, even if the server has ended. */
export function recordedSocketDirectory(cluster: string): string {
  return readPostmasterFile(cluster)[4]?.trim() ?? '';
}

function readPostmasterFile(cluster: string): string[] {
  const file = fileOf(cluster);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const owner = statSync(cluster).uid;
  // Root may have restored the file from a copy.
  if (!found.isFile() || ![owner, 0].includes(found.uid))
    throw foreign(file, found.isFile(), found.uid, owner);
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
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
      ? `${file} belongs to user ${uid}, but the database belongs to user ${owner}. The file was not used, and nothing was started or stopped. Check that no server runs on ${path.dirname(file)}, then remove the file.`
      : `${file} is a link or a special file, which PostgreSQL never creates. It was not used, and nothing was started or stopped. Check that no server runs on ${path.dirname(file)}, then remove it.`,
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
