import type { StoredBytes } from '../archive/stored-bytes.js';
import { ReconError, messageOf } from '../errors.js';
import type { ProgressTask } from '../progress.js';

const pieceBytes = 256 * 1024;

/**
 * Yields the archived bytes of a file.
 *
 * @throws ReconError DISK_FAILED when they cannot be read, or are not as many as were received
 */
export async function* archivedBytes(
  file: { readonly bytes: StoredBytes; readonly sizeBytes: number },
  progress: ProgressTask,
): AsyncGenerator<Buffer, void, undefined> {
  let seen = 0;
  try {
    for await (const chunk of file.bytes.pieces(pieceBytes)) {
      seen += chunk.length;
      progress.advance(chunk.length);
      yield chunk;
    }
  } catch (thrown) {
    // The error already says what is wrong with an encrypted file.
    if (thrown instanceof ReconError) throw thrown;
    throw new ReconError('DISK_FAILED', `The archived file could not be read: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  if (seen !== file.sizeBytes) {
    throw new ReconError(
      'DISK_FAILED',
      `The archived file has ${seen} bytes; ${file.sizeBytes} were archived.`,
    );
  }
}
