import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { ProgressTask } from '../progress.js';
import { archiveFile, newIncomingFile, onDisk, removeIncomingFile } from './archive.js';
import { showName } from './remote/file-names.js';
import type { RemoteFile, RemoteFolder } from './remote/remote-folder.js';

/** Bytes that came whole and lie in the archive. */
export interface ReceivedBytes {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** By the look after the transfer; null when the server does not tell. */
  readonly modifiedAtMs: number | null;
}

export interface ReceiveOptions {
  readonly dataDirectory: string;
  readonly maximumSizeBytes: number;
  readonly signal: AbortSignal;
  readonly progress: ProgressTask;
}

/**
 * Receives one file: looks at it, passes its bytes to a new file of ours and through SHA-256, looks again, and
 * archives it only if what was announced, what was counted and what is there now agree. That a library says
 * "done" proves nothing: truncated and mixed content was reported as success by all of them (measured).
 *
 * @throws ReconError FILE_CHANGING, FILE_INCOMPLETE, FILE_VANISHED, FILE_TOO_LARGE, FILE_UNREADABLE, SOURCE_*;
 *   DISK_FULL, DISK_FAILED, which end the run.
 */
export async function receiveFile(
  folder: RemoteFolder,
  file: RemoteFile,
  options: ReceiveOptions,
): Promise<ReceivedBytes> {
  const before = await folder.stat(file);
  if (before === undefined) throw vanished(file);
  refuseTooLarge(before, options.maximumSizeBytes);
  const incoming = await newIncomingFile(options.dataDirectory);
  try {
    const first = await transfer(folder, file, incoming, options);
    const after = await folder.stat(file);
    if (after === undefined) throw vanished(file);
    if (after.sizeBytes !== before.sizeBytes || after.modifiedAtMs !== before.modifiedAtMs)
      throw changing(file);
    if (after.sizeBytes === null) await proveByReadingTwice(folder, file, first.sha256, options);
    else if (first.sizeBytes !== after.sizeBytes) {
      throw new ReconError(
        'FILE_INCOMPLETE',
        `${showName(file.name)}: ${first.sizeBytes} bytes arrived of ${after.sizeBytes} that the server announced; nothing of it was kept.`,
      );
    }
    failPoint('archive.before');
    await archiveFile(options.dataDirectory, incoming, first.sha256);
    failPoint('archive.after');
    return { ...first, modifiedAtMs: after.modifiedAtMs };
  } finally {
    await removeIncomingFile(incoming);
  }
}

function vanished(file: RemoteFile): ReconError {
  return new ReconError('FILE_VANISHED', `${showName(file.name)} was listed but is not there any more.`);
}

export function changing(file: { readonly name: string }): ReconError {
  return new ReconError(
    'FILE_CHANGING',
    `${showName(file.name)} is still being written; it was left for a later run.`,
  );
}

export function refuseTooLarge(
  file: { readonly name: string; readonly sizeBytes: number | null },
  maximumSizeBytes: number,
): void {
  if (file.sizeBytes !== null && file.sizeBytes > maximumSizeBytes) {
    throw new ReconError(
      'FILE_TOO_LARGE',
      `${showName(file.name)} has ${file.sizeBytes} bytes, more than maximumSizeBytes (${maximumSizeBytes}); it was not fetched.`,
    );
  }
}

/** Bytes into a new file, counted and hashed on the way, on disk when it returns. */
async function transfer(
  folder: RemoteFolder,
  file: RemoteFile,
  incoming: string,
  options: ReceiveOptions,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const target = await onDisk('create a file in incoming', () => open(incoming, 'wx', 0o600));
  try {
    await folder.download(file, {
      signal: options.signal,
      write: async (chunk) => {
        if (sizeBytes === 0) failPoint('download.first-byte');
        sizeBytes += chunk.length;
        refuseTooLarge({ name: file.name, sizeBytes }, options.maximumSizeBytes);
        hash.update(chunk);
        await onDisk(`store ${showName(file.name)}`, () => target.writeFile(chunk));
        options.progress.advance(chunk.length);
      },
    });
    failPoint('sync.before');
    await onDisk(`store ${showName(file.name)}`, () => target.sync());
    failPoint('sync.after');
    return { sha256: hash.digest('hex'), sizeBytes };
  } finally {
    await target.close();
  }
}

/** A server that tells no size can only be believed when it sends the same bytes twice. */
async function proveByReadingTwice(
  folder: RemoteFolder,
  file: RemoteFile,
  sha256: string,
  options: ReceiveOptions,
): Promise<void> {
  const second = await newIncomingFile(options.dataDirectory);
  try {
    const again = await transfer(folder, file, second, options);
    if (again.sha256 !== sha256) {
      throw new ReconError(
        'FILE_INCOMPLETE',
        `${showName(file.name)}: the server tells no size and sent other bytes the second time; nothing of it was kept.`,
      );
    }
  } finally {
    await removeIncomingFile(second);
  }
}
