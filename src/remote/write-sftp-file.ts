import type { SFTPWrapper } from 'ssh2';

/** The size that every server accepts in one piece (draft-ietf-secsh-filexfer-02, 3). */
const pieceBytes = 31 * 1024;
/** Concurrent requests: 2 MiB in total, so that a distant server does not cost one round trip per piece. */
const requestsAhead = 64;

/** The bytes of a file, and the permission bits that it gets. */
export interface SftpWriting {
  readonly fileMode: number;
  readonly pieces: AsyncIterable<Buffer>;
  /** Called for each piece that the server has confirmed. */
  readonly progress: () => void;
}

/**
 * Writes a new file with many concurrent requests, and asks the server to sync it. Each piece is copied, because the
 * reader uses its buffer again while the request is pending.
 */
export async function writeSftpFile(
  sftp: SFTPWrapper,
  file: string,
  { fileMode, pieces, progress }: SftpWriting,
): Promise<void> {
  const handle = await create(sftp, file, fileMode);
  let isClosed = false;
  try {
    // The mask of the server may have narrowed the mode; some servers refuse to change it.
    await confirmed((done) => sftp.fchmod(handle, fileMode, done)).catch(() => undefined);
    const pending: Promise<void>[] = [];
    let written = 0;
    const send = (piece: Buffer) => {
      const sent = confirmed((done) => sftp.write(handle, piece, 0, piece.length, written, done)).then(
        progress,
      );
      // A request that fails while an earlier one is awaited is handled in its turn.
      sent.catch(() => undefined);
      pending.push(sent);
      written += piece.length;
    };
    for await (const read of pieces) {
      for (let from = 0; from < read.length; from += pieceBytes) {
        if (pending.length >= requestsAhead) await pending.shift();
        send(Buffer.from(read.subarray(from, from + pieceBytes)));
      }
    }
    for (const sent of pending) await sent;
    await synced(sftp, handle);
    isClosed = true;
    // Some servers notice only here that the disk is full.
    await confirmed((done) => sftp.close(handle, done));
  } finally {
    if (!isClosed) sftp.close(handle, () => undefined);
  }
}

function create(sftp: SFTPWrapper, file: string, mode: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sftp.open(file, 'wx', { mode }, (failed, handle) =>
      failed === undefined ? resolve(handle) : reject(failed),
    );
  });
}

function confirmed(request: (done: (failed?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    request((failed) => (failed === undefined || failed === null ? resolve() : reject(failed))),
  );
}

/** An extension of OpenSSH; without it the server decides when the bytes reach its disk. */
async function synced(sftp: SFTPWrapper, handle: Buffer): Promise<void> {
  try {
    await confirmed((done) => sftp.ext_openssh_fsync(handle, done));
  } catch {
    // Not supported: the size is compared afterwards.
  }
}
