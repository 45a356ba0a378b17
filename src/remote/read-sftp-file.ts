import type { SFTPWrapper } from 'ssh2';
import type { WriteChunk } from './remote-folder.js';

/** What every server answers in one piece (draft-ietf-secsh-filexfer-02, 3), and ssh2 asks for in one. */
const usualPiece = 31 * 1024;
/** Requests under way at once: 2 MiB, so that a distant server is not asked piece by piece. */
const requestsAhead = 64;

/**
 * Reads a file from its beginning to its end as the server has it now, in order, with many requests under way.
 * What is announced is asked for ahead; the end is only believed when the server says so.
 *
 * The library's own readers are not used: `fastGet` mixes pieces up when answers are short and never returns
 * when a file shrinks, and a stream asks for one piece at a time.
 *
 * @param isStopped is asked before each piece is passed on; true ends the reading without an error.
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
      // One that fails while an earlier one is waited for is met in its turn.
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
      // A short answer is not the end: what is missing is asked for before what follows is taken.
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

/** Up to `length` bytes; none at the end of the file. */
function readAt(sftp: SFTPWrapper, handle: Buffer, at: number, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sftp.read(handle, Buffer.allocUnsafe(length), 0, length, at, (failed, _count, data) =>
      failed === undefined ? resolve(data) : reject(failed),
    );
  });
}
