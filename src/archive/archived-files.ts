import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { onDisk } from '../disk/disk-errors.js';
import { namesIn, statIfThere } from '../disk/unless-missing.js';

/** A file of the archive with its absolute path; its bytes may be encrypted. */
export interface ArchivedFileOnDisk {
  /** Of the plain bytes; the name begins with it. */
  readonly sha256: string;
  readonly file: string;
}

/** The files in the archive folder that have the name of a SHA-256, in the order of their names. */
export async function archivedFiles(dataDirectory: string): Promise<readonly ArchivedFileOnDisk[]> {
  const directory = path.join(dataDirectory, 'archive');
  return onDisk(`read ${directory}`, async () => {
    const found: ArchivedFileOnDisk[] = [];
    for (const folder of (await namesIn(directory)).filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
      const inside = path.join(directory, folder);
      if ((await statIfThere(inside))?.isDirectory() !== true) continue;
      for (const name of (await readdir(inside)).sort()) {
        const sha256 = /^[0-9a-f]{64}/.exec(name)?.[0];
        if (sha256 !== undefined) found.push({ sha256, file: path.join(inside, name) });
      }
    }
    return found;
  });
}
