import type { SFTPWrapper } from 'ssh2';
import type { WriteChunk } from './remote-folder.js';

/** The size that every server answers in one piece (draft-ietf-secsh-filexfer-02, 3) and that ssh2 requests. */
const usualPiece = 31 * 1024;
/** Concurrent requests: 2 MiB in total, so that a distant server does not cost one round trip per piece. */
const requestsAhead = 64;

/**
 * Reads a file from its beginning to its end as the server has it now, in order, with many concurrent requests.
 * The announced size is requested ahead; only the server's end-of-file answer ends the file.
 *
 * The library's own readers are not used: `fastGet` mixes up pieces when answers are short and never returns
 * when a file shrinks, and a stream requests one piece at a time.
 *
 * @param isStopped checked before each piece is passed on; true stops reading without an error.
 */
export async function readSftpFile(
  sftp: SFTPWrapper,
  file: { readonly path: string; readonly sizeBytes: number | null },
  isStopped: () => boolean,
  write: WriteChunk,
): Promise<void> {
  const handle = await openForReading(sftp, file.path);
  try {
    const ahead: { at: number; length: number; answer: Promise<Buffer> }[] = [];
    let asked = 0;
    let received = 0;
    let pieceBytes = usualPiece;
    const ask = (length: number) => {
      const answer = readAt(sftp, handle, asked, length);
      // A request that fails while an earlier one is awaited is handled in its turn.
      answer.catch(() => undefined);
      ahead.push({ at: asked, length, answer });
      asked += length;
    };
    for (;;) {
      const announced = file.sizeBytes ?? 0;
      while (asked < announced && ahead.length < requestsAhead) ask(pieceBytes);
      if (ahead.length === 0) ask(pieceBytes);
      const next = ahead.shift();
      if (next === undefined) return;
      let chunk = await next.answer;
      if (isStopped()) return;
      if (chunk.length === 0) return;
      await write(chunk);
      received += chunk.length;
      // A short answer is not the end: the missing bytes are requested before the next piece is used.
      const answered = chunk.length;
      while (received < next.at + next.length) {
        chunk = await readAt(sftp, handle, received, next.at + next.length - received);
        if (isStopped() || chunk.length === 0) return;
        // This server has smaller pieces.
        pieceBytes = Math.min(pieceBytes, Math.max(answered, 1024));
        await write(chunk);
        received += chunk.length;
      }
    }
  } finally {
    sftp.close(handle, () => undefined);
  }
}

function openForReading(sftp: SFTPWrapper, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sftp.open(path, 'r', (failed, handle) => (failed === undefined ? resolve(handle) : reject(failed)));
  });
}

/** Reads up to `length` bytes; returns an empty buffer at the end of the file. */
function readAt(sftp: SFTPWrapper, handle: Buffer, at: number, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sftp.read(handle, Buffer.allocUnsafe(length), 0, length, at, (failed, _count, data) =>
      failed === undefined ? resolve(data) : reject(failed),
    );
  });
}
