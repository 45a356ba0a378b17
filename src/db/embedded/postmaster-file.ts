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
  let lines: string[];
  try {
    lines = readFileSync(fileOf(cluster), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const processId = Number(lines[0]);
  if (!Number.isInteger(processId) || processId <= 0 || !isRunning(processId, 'postgres')) return undefined;
  return { processId, socketDirectory: lines[4]?.trim() ?? '', status: lines[7]?.trim() ?? '' };
}

/**
 * Removes the file of a server that is gone. PostgreSQL does so itself unless some other program has got the
 * number since, which after a restart of a container is the rule: then it refuses to start.
 */
export function removeStalePostmasterFile(cluster: string): void {
  if (readPostmaster(cluster) === undefined) rmSync(fileOf(cluster), { force: true });
}
