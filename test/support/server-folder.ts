import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';

/** A file system in memory on nearly every Linux. */
const inMemory = '/dev/shm';
/** Begins the names of folders of servers; the id of the process that uses the server follows. */
export const serverPrefix = 'recon-test-';
const gigabyte = 2 ** 30;
/** With two workers, the databases of a run of the tests take 0.4 GB at most. */
const bytesNeeded = gigabyte * Math.max(2, availableParallelism());

/** Where a server of the tests may be. */
export function serverFolders(): string[] {
  return existsSync(inMemory) ? [inMemory, tmpdir()] : [tmpdir()];
}

/**
 * Where a new one belongs: in memory if there is room for it. Each test has a copy of a database of 400 files, which
 * takes 0.03 s of CPU time there, and up to 0.3 on a disk. The files that `recon` writes stay on the disk.
 */
export function serverFolder(): string {
  return hasRoomInMemory() ? inMemory : tmpdir();
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(inMemory, constants.W_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= bytesNeeded && process.availableMemory() >= 2 * bytesNeeded;
  } catch {
    return false;
  }
}
