import { createHash, randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, onDisk } from '../disk/disk-errors.js';
import { syncDirectory } from '../disk/durable.js';
import { namesIn, statIfThere } from '../disk/look.js';
import { claimFolder, makeFolder } from '../disk/private-files.js';
import { readPieces } from '../disk/read-pieces.js';
import { failPoint } from '../fail-point.js';

/**
 * The archive keeps the received bytes of every file under their SHA-256, before anything parses them. A name or date
 * never decides where they are stored: both can be sent again with other content.
 */

/** Path of the archived bytes with this SHA-256. */
export function archivePath(dataDirectory: string, sha256: string): string {
  return path.join(dataDirectory, 'archive', sha256.slice(0, 2), sha256);
}

/** A new path for a file while it is received: on the same disk, so that archiving it is one rename. */
export async function newIncomingFile(dataDirectory: string): Promise<string> {
  const directory = path.join(dataDirectory, 'incoming');
  await onDisk(`create the folder ${directory}`, async () => {
    await makeFolder(dataDirectory, { owner: 'account' });
    await claimFolder(directory);
  });
  return path.join(directory, `${randomUUID()}.part`);
}

/** Deletes an incoming file if it is still there (after archiving it no longer is). */
export async function removeIncomingFile(incoming: string): Promise<void> {
  await onDisk(`delete ${incoming}`, () => rm(incoming, { force: true }));
}

/** Deletes partly received files of runs that died; a transfer is never resumed from them. */
export async function removeIncomingFiles(dataDirectory: string): Promise<void> {
  const directory = path.join(dataDirectory, 'incoming');
  await onDisk(`clear ${directory}`, async () => {
    for (const name of await namesIn(directory)) {
      if (name.endsWith('.part')) await rm(path.join(directory, name), { force: true });
    }
  });
}

/** Moves received bytes, already synced, to their place; if the place is taken, the bytes there are the same. */
export async function archiveFile(dataDirectory: string, incoming: string, sha256: string): Promise<void> {
  const target = archivePath(dataDirectory, sha256);
  const folder = path.dirname(target);
  await onDisk(`archive ${sha256}`, async () => {
    const made = [await claimFolder(path.dirname(folder)), await claimFolder(folder)];
    await rename(incoming, target);
    failPoint('archive.renamed');
    await syncDirectory(folder);
    // A new folder is itself an entry that must be synced.
    if (made.some((first) => first !== undefined)) {
      await syncDirectory(path.dirname(folder));
      await syncDirectory(dataDirectory);
    }
  });
}

/** Whether the archive has bytes under this SHA-256, whatever they are. */
export async function isArchived(dataDirectory: string, sha256: string): Promise<boolean> {
  const file = archivePath(dataDirectory, sha256);
  return (await onDisk(`look at ${file}`, () => statIfThere(file)))?.isFile() === true;
}

/**
 * Whether the archived bytes still have their SHA-256; false when they are not there.
 *
 * @throws ReconError DISK_FAILED when they cannot be read; then the bytes may still be intact
 */
export async function isIntact(dataDirectory: string, sha256: string): Promise<boolean> {
  const file = archivePath(dataDirectory, sha256);
  return onDisk(`read ${file}`, async () => {
    const hash = createHash('sha256');
    try {
      for await (const piece of readPieces(file, 256 * 1024)) hash.update(piece);
    } catch (thrown) {
      if (isMissing(thrown)) return false;
      throw thrown;
    }
    return hash.digest('hex') === sha256;
  });
}
