import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { ReconError } from '../errors.js';
import { readRows, type RowBlock } from '../settlement-file/read-rows.js';
import { onDisk } from './disk-errors.js';

/** Bytes that lie in the archive, as they are told of. */
export interface ArchivedFile {
  readonly name: string;
  readonly sha256: string;
}

const chunkBytes = 1024 * 1024;

/**
 * Reads the rows of an archived file again and proves at the end that its bytes are still those that were
 * received. What was read before the end is only to be trusted once the iteration has come to it.
 *
 * @throws ReconError DISK_FAILED when the bytes are missing or damaged.
 */
export async function* readArchivedRows(file: ArchivedFile, path: string): AsyncGenerator<RowBlock> {
  const hash = createHash('sha256');
  try {
    yield* readRows(hashing(file, path, hash));
  } catch (thrown) {
    // It was read without fault when it was stored, so a fault of its content is one of the disk.
    if (thrown instanceof ReconError && thrown.code.startsWith('FILE_')) throw damaged(file, thrown);
    throw thrown;
  }
  if (hash.digest('hex') !== file.sha256) throw damaged(file);
}

async function* hashing(
  file: ArchivedFile,
  path: string,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: chunkBytes });
  const iterator = stream.iterator() as AsyncIterableIterator<Buffer>;
  try {
    for (;;) {
      const next = await onDisk(
        `The archived bytes of ${file.name} (SHA-256 ${file.sha256}) could not be read`,
        () => iterator.next(),
      );
      if (next.done === true) return;
      hash.update(next.value);
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
}

function damaged(file: ArchivedFile, cause?: unknown): ReconError {
  return new ReconError(
    'DISK_FAILED',
    `The archived bytes of ${file.name} (SHA-256 ${file.sha256}) are damaged; restore the archive from a backup.`,
    { cause },
  );
}
