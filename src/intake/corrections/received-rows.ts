import type { Archive } from '../../archive/archive.js';
import { ReconError } from '../../errors.js';
import { silentProgress } from '../../progress.js';
import { cellsOf, readRows } from '../../settlement-file/read-rows.js';
import { archivedBytes } from '../archived-bytes.js';

/** A file whose rows are looked up. */
interface ReceivedFile {
  readonly name: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * The cells of some rows of a file as they were received, by line. Reads the file from its beginning to the last of
 * these lines. Of a file that retention removed from the archive there are none.
 *
 * @throws ReconError DISK_FAILED when its bytes cannot be read or are damaged, ARCHIVE_KEY_MISSING
 */
export async function receivedRows(
  archive: Archive,
  file: ReceivedFile,
  lines: ReadonlySet<number>,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const found = new Map<number, readonly string[]>();
  if (lines.size === 0 || !(await archive.has(file.sha256))) return found;
  const bytes = archive.bytes(file.sha256);
  const task = silentProgress.begin('', null, 'bytes');
  try {
    for await (const { rows } of readRows(archivedBytes({ bytes, sizeBytes: file.sizeBytes }, task))) {
      for (const row of rows) if (lines.has(row.line)) found.set(row.line, cellsOf(row));
      if (found.size === lines.size) break;
    }
  } catch (thrown) {
    // The file was read without errors when it was loaded.
    if (!(thrown instanceof ReconError) || thrown.of !== 'content') throw thrown;
    throw new ReconError(
      'DISK_FAILED',
      `The archived bytes of ${file.name} (SHA-256 ${file.sha256}) are damaged; restore the archive from a backup.`,
      { cause: thrown },
    );
  }
  return found;
}
