import { existsSync } from 'node:fs';
import { mkdtemp, rename, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { onDisk, systemCodeOf } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';

/**
 * Tries what storing a received file does: it is moved from `incoming` into the archive. Between two disks or mounted
 * folders, that is impossible.
 *
 * @throws ReconError DISK_FAILED
 */
export async function requireOneDisk(dataDirectory: string): Promise<void> {
  const incoming = path.join(dataDirectory, 'incoming');
  const archive = path.join(dataDirectory, 'archive');
  if (!existsSync(archive)) return;
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
