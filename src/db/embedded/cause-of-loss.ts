import { ReconError } from '../../errors.js';
import { hasKilledProcess, wasRefusedProcess } from './processes-in-log.js';
import { spaceFailure } from './space-failure.js';

/** The error to report instead of a connection that was lost just now, if the server or its disk shows the cause. */
export function causeOfLoss(cluster: string): ReconError | undefined {
  return fullDisk(cluster) ?? killedProcess(cluster) ?? refusedProcess(cluster);
}

/** What was committed is in the log of changes on the disk, and is there again after the next start. */
export function fullDisk(cluster: string): ReconError | undefined {
  const why = spaceFailure(cluster, Date.now());
  return why === undefined
    ? undefined
    : new ReconError(
        'DATABASE_FULL',
        `The disk of the embedded database ${cluster} is full: ${why}. What was committed is kept, everything else is undone. Free space there, then run again.`,
      );
}

function killedProcess(cluster: string): ReconError | undefined {
  return hasKilledProcess(cluster, Date.now())
    ? new ReconError(
        'DATABASE_EMBEDDED',
        `A process of the embedded database ${cluster} was killed (signal 9), as Linux does when memory runs out, so its server ended all connections. What was committed is kept, everything else is undone. Give the machine or the container more memory, then run again.`,
      )
    : undefined;
}

/**
 * The error of a connection that was lost because the embedded server could not start a process for it; undefined where
 * it was lost for another reason.
 */
export function refusedProcess(cluster: string): ReconError | undefined {
  return wasRefusedProcess(cluster, Date.now())
    ? new ReconError(
        'DATABASE_EMBEDDED',
        `The embedded database ${cluster} could not start a process for a new connection: the limit of processes is reached. What was committed is kept, everything else is undone. Raise the limit (ulimit -u, TasksMax of systemd, or the pids limit of the container), then run again.`,
      )
    : undefined;
}
