import { createHash } from 'node:crypto';
import { onDisk } from '../disk/disk-errors.js';
import { createFile } from '../disk/private-files.js';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { ProgressTask } from '../progress.js';
import { archiveFile, newIncomingFile, removeIncomingFile } from './archive.js';
import { changingFile, differs, isQuiet, refuseChanged, refuseYoung } from './judge-change.js';
import { showName } from '../remote/file-names.js';
import type { RemoteFile, RemoteFolder } from '../remote/remote-folder.js';

/** Bytes that came whole and lie in the archive. */
export interface ReceivedBytes {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** By the look after the transfer; null when the server does not tell. */
  readonly modifiedAtMs: number | null;
  /** Quiet for long enough when the transfer began that size and time alone identify it next time. */
  readonly stable: boolean;
}

export interface ReceiveOptions {
  readonly dataDirectory: string;
  readonly maximumSizeBytes: number;
  /** A file that was changed less than this before the transfer is deferred. */
  readonly minimumAgeMs: number;
  readonly clock: () => number;
  readonly progress: ProgressTask;
}

/** What receiving needs of a folder. */
type Looking = Pick<RemoteFolder, 'listsExactTimes' | 'stat' | 'download'>;

/**
 * Receives one file: looks at it, passes its bytes to a new file of ours and through SHA-256, looks again, and
 * archives it only if what was announced, what was counted and what is there now agree. That a library says
 * "done" proves nothing: truncated and mixed content was reported as success by all of them (measured).
 *
 * @param listed what the listing said, the first of the looks that must agree.
 * @throws ReconError FILE_CHANGING, FILE_INCOMPLETE, FILE_VANISHED, FILE_TOO_LARGE, FILE_UNREADABLE, SOURCE_*;
 *   DISK_FULL, DISK_FAILED, which end the run.
 */
export async function receiveFile(
  folder: Looking,
  listed: RemoteFile,
  options: ReceiveOptions,
): Promise<ReceivedBytes> {
  const before = await lookAt(folder, listed);
  const startedAtMs = options.clock();
  refuseTooLarge(before, options.maximumSizeBytes);
  refuseYoung(before, startedAtMs, options.minimumAgeMs);
  refuseChanged(listed, before, { comparesTimes: folder.listsExactTimes });
  const incoming = await newIncomingFile(options.dataDirectory);
  try {
    const { sha256, sizeBytes } = await transfer(folder, before, incoming, options);
    const after = await lookAt(folder, before);
    if (differs(before, after)) throw changingFile(after, 'changed while it was fetched');
    if (after.sizeBytes === null) await proveByReadingTwice(folder, before, sha256, options);
    else if (sizeBytes !== after.sizeBytes) {
      throw new ReconError(
        'FILE_INCOMPLETE',
        `${showName(listed.name)}: ${sizeBytes} bytes arrived of ${after.sizeBytes} that the server announced; nothing of it was kept.`,
      );
    }
    failPoint('archive.before');
    await archiveFile(options.dataDirectory, incoming, sha256);
    failPoint('archive.after');
    const { modifiedAtMs } = after;
    return {
      sha256,
      sizeBytes,
      modifiedAtMs,
      stable: isQuiet(modifiedAtMs, startedAtMs, options.minimumAgeMs),
    };
  } finally {
    await removeIncomingFile(incoming);
  }
}

/** The file as it is now, which must still be one. */
async function lookAt(folder: Looking, file: RemoteFile): Promise<RemoteFile> {
  const found = await folder.stat(file);
  if (found === undefined) throw vanishedFile(file);
  if (found.isRegular !== true) {
    throw new ReconError(
      'FILE_UNREADABLE',
      `${showName(file.name)} is not a regular file${found.isRegular === null ? ' as far as the server tells' : ''}; it was not opened.`,
    );
  }
  return found;
}

export function vanishedFile(file: { readonly name: string }): ReconError {
  return new ReconError(
    'FILE_VANISHED',
    `${showName(file.name)} was listed but is not there any more; nothing of it was kept.`,
  );
}

/** @throws ReconError FILE_TOO_LARGE. */
export function refuseTooLarge(
  file: { readonly name: string; readonly sizeBytes: number | null },
  maximumSizeBytes: number,
): void {
  if (file.sizeBytes !== null && file.sizeBytes > maximumSizeBytes) {
    throw new ReconError(
      'FILE_TOO_LARGE',
      `${showName(file.name)} has ${file.sizeBytes} bytes or more, over maximumSizeBytes (${maximumSizeBytes}); nothing of it was kept.`,
    );
  }
}

/** Bytes into a new file, counted and hashed on the way, on disk when it returns. */
async function transfer(
  folder: Looking,
  file: RemoteFile,
  incoming: string,
  options: ReceiveOptions,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const what = `store ${showName(file.name)}`;
  const target = await onDisk(`create ${incoming}`, () => createFile(incoming));
  try {
    failPoint('download.before');
    await folder.download(file, async (chunk) => {
      if (sizeBytes === 0) failPoint('download.first-byte');
      sizeBytes += chunk.length;
      // The announced size may be a lie.
      refuseTooLarge({ name: file.name, sizeBytes }, options.maximumSizeBytes);
      hash.update(chunk);
      await onDisk(what, () => target.writeFile(chunk));
      options.progress.advance(chunk.length);
    });
    failPoint('download.after');
    failPoint('sync.before');
    await onDisk(what, () => target.sync());
    failPoint('sync.after');
    const stored = (await onDisk(what, () => target.stat())).size;
    if (stored !== sizeBytes) {
      throw new ReconError('DISK_FAILED', `Could not ${what}: ${stored} of ${sizeBytes} bytes are on disk.`);
    }
    return { sha256: hash.digest('hex'), sizeBytes };
  } finally {
    await onDisk(what, () => target.close());
  }
}

/** A server that tells no size can only be believed when it sends the same bytes twice. */
async function proveByReadingTwice(
  folder: Looking,
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
