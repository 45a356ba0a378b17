import { open, type FileHandle } from 'node:fs/promises';
import { causeOf, systemCodeOf } from '../disk/disk-errors.js';
import { ReconError, messageOf } from '../errors.js';

/** @throws ReconError FILE_UNREADABLE, also for a folder or a pipe */
export async function openFile(file: string): Promise<FileHandle> {
  try {
    const handle = await open(file, 'r');
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (thrown) {
    throw unreadable(file, reasonOf(thrown));
  }
  throw unreadable(file, 'it is not a regular file');
}

const unreadable = (file: string, why: string) =>
  new ReconError('FILE_UNREADABLE', `${file} cannot be read: ${why}. Nothing was stored.`);

const reasonOf = (thrown: unknown) =>
  systemCodeOf(thrown) === undefined ? messageOf(thrown) : causeOf(thrown);

/** The lines of a larger chunk outlive a garbage collection: with 256 KiB, reading cost a third more (measured). */
const chunkBytes = 64 * 1024;

/**
 * The bytes of an open file, from its beginning.
 *
 * @param file its path, for messages
 * @param advance is called with the number of bytes of each chunk
 */
export async function* chunksOf(
  handle: FileHandle,
  file: string,
  advance: (bytes: number) => void,
): AsyncGenerator<Buffer, void> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle
      .read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
      .catch((thrown: unknown) => {
        throw unreadable(file, reasonOf(thrown));
      });
    if (bytesRead === 0) return;
    position += bytesRead;
    advance(bytesRead);
    yield buffer.subarray(0, bytesRead);
  }
}
