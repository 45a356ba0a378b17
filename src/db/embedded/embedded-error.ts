import { ReconError } from '../../errors.js';

/** What PostgreSQL and its initdb write when the disk is full; a write that was cut short has the hint alone. */
export const hasNoSpace = /No space left on device|Check free disk space|Disk quota exceeded/;

/** Its texts contain those of a full disk, too. */
const noSharedMemory = /could not (create|resize) shared memory segment/;

/**
 * The error for a server that could not be created, started or used.
 *
 * @param message contains what the server or initdb wrote
 * @returns DATABASE_FULL when they had no disk space, else DATABASE_EMBEDDED
 */
export function embeddedError(message: string): ReconError {
  const isFull = hasNoSpace.test(message) && !noSharedMemory.test(message);
  return new ReconError(isFull ? 'DATABASE_FULL' : 'DATABASE_EMBEDDED', message);
}
