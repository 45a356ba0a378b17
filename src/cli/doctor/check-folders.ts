import { existsSync } from 'node:fs';
import { mkdtemp, rename, rmdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { onDisk, systemCodeOf } from '../../disk/disk-errors.js';
import { makeFolder } from '../../disk/private-files.js';
import { ReconError, messageOf } from '../../errors.js';

/** The files of a run, their reports and the embedded database need some space. */
const leastFreeBytes = 2 ** 30;

/** The data folder, and its folders that runs have created. */
export function foldersOf(dataDirectory: string): string[] {
  const inside = ['archive', 'reports'].map((name) => path.join(dataDirectory, name));
  return [dataDirectory, ...inside.filter((directory) => existsSync(directory))];
}

/**
 * A received file is moved from `incoming` into the archive; between two disks or mounted folders that is impossible.
 *
 * @throws ReconError DISK_FAILED
 */
export async function requireOneDisk(dataDirectory: string): Promise<void> {
  const [incoming, archive] = ['incoming', 'archive'].map((name) => path.join(dataDirectory, name));
  if (incoming === undefined || archive === undefined || !existsSync(archive)) return;
  await onDisk(`move a file into ${archive}`, async () => {
    const tried = await mkdtemp(path.join(existsSync(incoming) ? incoming : dataDirectory, '.recon-doctor-'));
    const moved = path.join(archive, path.basename(tried));
    try {
      await rename(tried, moved);
    } catch (thrown) {
      await rmdir(tried);
      if (systemCodeOf(thrown) !== 'EXDEV') throw thrown;
      throw new ReconError(
        'DISK_FAILED',
        `${incoming} and ${archive} are on different disks or mounts, so no received file can be moved into the archive. Mount one folder that contains both.`,
      );
    }
    await rmdir(moved);
  });
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
    const { bavail, bsize } = await statfs(directory);
    const free = `${((bavail * bsize) / 2 ** 30).toFixed(1)} GB free`;
    if (bavail * bsize < leastFreeBytes) {
      throw new ReconError('DISK_FULL', `can be written, but there are only ${free}.`);
    }
    return `can be written, ${free}`;
  } catch (thrown) {
    if (thrown instanceof ReconError) throw thrown;
    throw new ReconError('DISK_FAILED', `cannot be written: ${messageOf(thrown)}.`, { cause: thrown });
  }
}
