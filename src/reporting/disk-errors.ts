import { ReconError } from '../errors.js';

const full = new Set(['ENOSPC', 'EDQUOT']);

/** Whether a failure came from the file system: those carry the system call that failed. */
function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown && 'code' in thrown;
}

/**
 * Does something on the disk and turns its failure into DISK_FULL or DISK_FAILED.
 *
 * @param what the thing that was attempted, as the beginning of a sentence: `The report x could not be written`
 */
export async function onDisk<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    const code = thrown.code ?? 'unknown';
    if (full.has(code))
      throw new ReconError('DISK_FULL', `${what}: the disk is full (${code}).`, { cause: thrown });
    throw new ReconError('DISK_FAILED', `${what} (${code}).`, { cause: thrown });
  }
}

/** Whether the thing asked for is not there. */
export function isMissing(thrown: unknown): boolean {
  return isSystemError(thrown) && thrown.code === 'ENOENT';
}

/** Whether a folder was in the way of a rename. */
export function isOccupied(thrown: unknown): boolean {
  return isSystemError(thrown) && (thrown.code === 'ENOTEMPTY' || thrown.code === 'EEXIST');
}
