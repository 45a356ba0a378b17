import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { causeOf } from '../../disk/disk-errors.js';
import { statIfThere } from '../../disk/unless-missing.js';
import { ReconError } from '../../errors.js';

/**
 * Whether a run can write `metrics.textfile`: it writes a new file into the folder, and renames it. Nothing is written
 * here, because node_exporter reads the folder.
 *
 * @param place of the setting in the configuration
 * @throws ReconError DISK_FAILED
 */
export async function checkTextfile(file: string, place: string | null): Promise<string> {
  const folder = path.dirname(file);
  const where = place === null ? '' : `${place} `;
  try {
    // A file with a slash behind it is not a folder.
    await stat(`${folder}/`);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (thrown) {
    throw new ReconError(
      'DISK_FAILED',
      `${where}metrics.textfile: the folder ${folder} cannot be written: ${causeOf(thrown)}.`,
      { cause: thrown },
    );
  }
  if ((await statIfThere(file))?.isDirectory() === true)
    throw new ReconError('DISK_FAILED', `${where}metrics.textfile: ${file} is a folder and must be a file.`);
  const warning = file.endsWith('.prom')
    ? ''
    : '\nWarning: node_exporter reads only files whose name ends in .prom';
  return `${folder} can be written${warning}`;
}
