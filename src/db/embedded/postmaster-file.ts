import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isRunning } from './process-identity.js';

/** What a running server writes into `postmaster.pid` of its cluster. */
export interface Postmaster {
  readonly processId: number;
  readonly socketDirectory: string;
  /** `starting`, `ready`, `stopping`; empty in the first moment. */
  readonly status: string;
}

const fileOf = (cluster: string) => path.join(cluster, 'postmaster.pid');

/** The server that serves the cluster; undefined when none runs, whatever a crash may have left. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  const lines = readLines(fileOf(cluster));
  const processId = Number(lines[0]);
  if (!Number.isInteger(processId) || processId <= 0 || !isRunning(processId, 'postgres')) return undefined;
  return { processId, socketDirectory: lines[4]?.trim() ?? '', status: lines[7]?.trim() ?? '' };
}

/**
 * Whether processes of a server that crashed are still at work on the cluster: they hold its shared memory, and
 * end by themselves as soon as they look up from what they are doing.
 */
export function hasOrphans(cluster: string): boolean {
  if (process.platform !== 'linux') return false;
  const segment = readLines(fileOf(cluster))[6]?.trim().split(/\s+/)[1];
  if (segment === undefined) return false;
  // Columns: key, shmid, perms, size, cpid, lpid, nattch …
  const rows = readLines('/proc/sysvipc/shm').map((line) => line.trim().split(/\s+/));
  return rows.some((row) => row[1] === segment && Number(row[6]) > 0);
}

/**
 * Removes the file of a server that is gone. PostgreSQL does so itself unless its number is taken, by a zombie or,
 * which after a restart of a container is the rule, by some other program: then it refuses to start. Only to be
 * called when `hasOrphans` says that nobody is left.
 */
export function removeStalePostmasterFile(cluster: string): void {
  if (readPostmaster(cluster) === undefined) rmSync(fileOf(cluster), { force: true });
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
