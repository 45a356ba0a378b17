import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { systemCodeOf } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';

/**
 * Does the work in a folder that cannot be replaced meanwhile: on Linux the path leads through the open folder. Root
 * needs this below folders of other users, who could replace it with a link.
 *
 * @throws ReconError DATABASE_EMBEDDED when the folder is a link or belongs to none of the `owners`
 */
export async function inPinnedFolder<T>(
  folder: string,
  owners: readonly number[],
  work: (folder: string) => Promise<T> | T,
): Promise<T> {
  let descriptor: number;
  try {
    descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw thrown;
    throw new ReconError(
      'DATABASE_EMBEDDED',
      `${folder} is a link or not a folder. It was not used. Remove it, then try again.`,
    );
  }
  try {
    const { uid } = fstatSync(descriptor);
    if (!owners.includes(uid)) {
      throw new ReconError(
        'DATABASE_EMBEDDED',
        `${folder} belongs to user ${uid}, who is neither the user of recon nor the owner of the data directory. It was not used. Give it to user ${owners[0] ?? ''} (chown), or remove it while no command runs.`,
      );
    }
    return await work(process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : folder);
  } finally {
    closeSync(descriptor);
  }
}
