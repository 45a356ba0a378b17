import type { Writable } from 'node:stream';

/**
 * Writes a piece, and waits until the stream takes the next one, so that a slow reader slows the writer down.
 *
 * A stream that its reader destroyed never drains. Whoever waited for that kept a cursor of the database open, and
 * `recon items --csv | head` ended eight seconds later than it could.
 *
 * @param piece an array only for a stream of objects, which takes it as one
 * @throws the error of the stream, or that it is closed
 */
export async function writePiece(out: Writable, piece: string | Buffer | readonly unknown[]): Promise<void> {
  if (out.destroyed) throw closed(out);
  if (out.write(piece)) return;
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => {
      out.off('drain', onDrain).off('close', onClose).off('error', onError);
      settle();
    };
    const onDrain = () => end(resolve);
    const onClose = () => end(() => reject(closed(out)));
    // Not every stream is closed by its error.
    const onError = (error: Error) => end(() => reject(error));
    out.once('drain', onDrain).once('close', onClose).once('error', onError);
  });
}

function closed(out: Writable): Error {
  return (
    out.errored ?? Object.assign(new Error('the output was closed'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  );
}
