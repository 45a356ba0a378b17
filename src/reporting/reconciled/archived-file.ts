import { createHash, type Hash } from 'node:crypto';
import type { StoredBytes } from '../../archive/stored-bytes.js';
import { onDisk } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import { readRows, type RowBlock } from '../../settlement-file/read-rows.js';

/** A file in the archive, with the name that messages use. */
export interface ArchivedFile {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: StoredBytes;
}

const pieceBytes = 512 * 1024;

/**
 * Reads the rows of an archived file again and checks at the end that its bytes are still those that were received. The
 * rows can only be trusted after the end of the iteration; if it fails earlier, {@link assertIntact} shows whether
 * damaged bytes are the cause.
 *
 * @throws ReconError DISK_FAILED if the bytes cannot be read or are damaged, FILE_* if they are not (or no longer) a
 * settlement file.
 */
export async function* readArchivedRows(file: ArchivedFile): AsyncGenerator<RowBlock> {
  const hash = createHash('sha256');
  yield* readRows(readPiecesOf(file, hash));
  compareHash(file, hash);
}

/** @throws ReconError DISK_FAILED if the bytes are not those that were received. */
export async function assertIntact(file: ArchivedFile): Promise<void> {
  const hash = createHash('sha256');
  for await (const _piece of readPiecesOf(file, hash));
  compareHash(file, hash);
}

async function* readPiecesOf(file: ArchivedFile, hash: Hash): AsyncGenerator<Buffer> {
  const pieces = file.bytes.pieces(pieceBytes);
  try {
    for (;;) {
      const next = await whileReading(file, () => pieces.next());
      if (next.done === true) return;
      hash.update(next.value);
      yield next.value;
    }
  } finally {
    await pieces.return();
  }
}

/** @throws ReconError DISK_FAILED instead of an error of the system */
export function whileReading<T>(file: ArchivedFile, read: () => Promise<T>): Promise<T> {
  return onDisk(`read the archived bytes of ${file.name} (SHA-256 ${file.sha256})`, read);
}

function compareHash(file: ArchivedFile, hash: Hash): void {
  if (hash.digest('hex') === file.sha256) return;
  throw new ReconError(
    'DISK_FAILED',
    `The archived bytes of ${file.name} (SHA-256 ${file.sha256}) are damaged; restore the archive from a backup.`,
  );
}
