import { existsSync } from 'node:fs';
import { mkdtemp, rmdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { requireOneDisk } from '../../archive/require-one-disk.js';
import { causeOf, toDiskError } from '../../disk/disk-errors.js';
import { makeFolder } from '../../disk/private-files.js';
import { ReconError } from '../../errors.js';

/** The files of a run, their reports and the embedded database need some space. */
const leastFreeBytes = 2 ** 30;
/** The embedded database has 1,500 files when it is new, and each large file adds tables. */
const leastFreeFiles = 5_000;

/** The data folder, and its folders that runs have created. */
export function foldersOf(dataDirectory: string): string[] {
  const inside = ['archive', 'reports'].map((name) => path.join(dataDirectory, name));
  return [dataDirectory, ...inside.filter((directory) => existsSync(directory))];
}

/**
 * @param receives whether files are received here, so that the archive must be able to take them
 * @throws ReconError DISK_FULL, DISK_FAILED
 */
export async function checkFolder(directory: string, receives: boolean): Promise<string> {
  try {
    await makeFolder(directory, { owner: 'account' });
    await rmdir(await mkdtemp(path.join(directory, '.recon-doctor-')));
    if (receives && path.basename(directory) === 'archive') await requireOneDisk(path.dirname(directory));
    const { bavail, bsize, files, ffree } = await statfs(directory);
    const free = `${((bavail * bsize) / 2 ** 30).toFixed(1)} GB free`;
    if (bavail * bsize < leastFreeBytes) {
      throw new ReconError('DISK_FULL', `can be written, but there are only ${free}.`);
    }
    // Some file systems have no fixed number of files and report none.
    if (files > 0 && ffree < leastFreeFiles) {
      throw new ReconError('DISK_FULL', `can be written, but has room for only ${ffree} more files (df -i).`);
    }
    return `can be written, ${free}`;
  } catch (thrown) {
    if (thrown instanceof ReconError) throw thrown;
    const code = toDiskError('', thrown)?.code ?? 'DISK_FAILED';
    throw new ReconError(code, `cannot be written: ${causeOf(thrown)}.`, { cause: thrown });
  }
}
