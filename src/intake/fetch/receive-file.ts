import type { Archive } from '../../archive/archive.js';
import type { IncomingFile } from '../../archive/incoming-file.js';
import { onDisk } from '../../disk/disk-errors.js';
import { ReconError } from '../../errors.js';
import { failPoint } from '../../fail-point.js';
import type { ProgressTask } from '../../progress.js';
import { changingFile, differs, isQuiet, refuseChanged, refuseYoung } from './detect-change.js';
import { showName } from '../../remote/file-names.js';
import type { RemoteFile, RemoteFolder } from '../../remote/remote-folder.js';

/** Bytes that arrived completely and are in the archive. */
export interface ReceivedBytes {
  readonly sha256: string;
  readonly sizeBytes: number;
  /** As checked after the transfer; null when the server does not report it. */
  readonly modifiedAtMs: number | null;
  /** Unchanged for long enough before the transfer that size and time alone identify it next time. */
  readonly stable: boolean;
}

/** Where a file is received to, and when it is refused or deferred. */
export interface ReceiveOptions {
  readonly archive: Archive;
  readonly maximumSizeBytes: number;
  /** A file that was changed less than this long before the transfer is deferred. */
  readonly minimumAgeMs: number;
  readonly clock: () => number;
  readonly progress: ProgressTask;
}

/** What receiving needs from a folder. */
type Looking = Pick<RemoteFolder, 'listsExactTimes' | 'stat' | 'download'>;

/**
 * Receives one file: checks it, writes its bytes to a new local file and through SHA-256, checks it again, and archives
 * it only if the announced size, the counted bytes and the current size agree. That a library reports success proves
 * nothing: all libraries that were tried reported success for truncated and mixed content (measured).
 *
 * @param listed the entry of the listing, the first of the observations that must agree.
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
  const incoming = await options.archive.newIncoming();
  try {
    const { sha256, sizeBytes } = await transfer(folder, before, incoming, options);
    const after = await lookAt(folder, before);
    if (differs(before, after)) throw changingFile(after, 'changed while it was fetched');
    compareSize(listed, after, sizeBytes);
    if (after.sizeBytes === null) await proveByReadingTwice(folder, before, sha256, options);
    failPoint('archive.before');
    await options.archive.keep(incoming, sha256);
    failPoint('archive.after');
    const { modifiedAtMs } = after;
    return {
      sha256,
      sizeBytes,
      modifiedAtMs,
      stable: isQuiet(modifiedAtMs, startedAtMs, options.minimumAgeMs),
    };
  } finally {
    await incoming.remove();
  }
}

/** The file as it is now; it must still be a regular file. */
async function lookAt(folder: Looking, file: RemoteFile): Promise<RemoteFile> {
  const found = await folder.stat(file);
  if (found === undefined) throw vanishedFile(file);
  if (found.isRegular !== true) {
    throw new ReconError(
      'FILE_UNREADABLE',
      `${showName(file.name)} is not a regular file${found.isRegular === null ? ' as far as the server reports' : ''}; it was not opened.`,
    );
  }
  return found;
}

/** The error of a file that was listed and is gone. */
export function vanishedFile(file: { readonly name: string }): ReconError {
  return new ReconError(
    'FILE_VANISHED',
    `${showName(file.name)} was listed but no longer exists; no part of it was kept.`,
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
      `${showName(file.name)} has ${file.sizeBytes} bytes or more, over maximumSizeBytes (${maximumSizeBytes}); no part of it was kept.`,
    );
  }
}

/**
 * Compares the counted bytes with the current size, or with that of the listing if the server reports no other: reading
 * twice does not reveal a transfer that always ends at the same byte.
 *
 * @throws ReconError FILE_CHANGING for a file that has grown since it was listed, FILE_INCOMPLETE.
 */
function compareSize(listed: RemoteFile, after: RemoteFile, sizeBytes: number): void {
  const announced = after.sizeBytes ?? listed.sizeBytes;
  if (announced === null || announced === sizeBytes) return;
  if (after.sizeBytes === null && sizeBytes > announced) {
    throw changingFile(listed, `has ${sizeBytes} bytes, but was listed with ${announced}`);
  }
  throw new ReconError(
    'FILE_INCOMPLETE',
    `${showName(listed.name)}: ${sizeBytes} of ${announced} announced bytes arrived; no part of it was kept.`,
  );
}

/** Writes the bytes to the new file, which counts and hashes them, and syncs it. */
async function transfer(
  folder: Looking,
  file: RemoteFile,
  incoming: IncomingFile,
  options: ReceiveOptions,
): Promise<{ sha256: string; sizeBytes: number }> {
  const what = `store ${showName(file.name)}`;
  try {
    failPoint('download.before');
    await folder.download(file, async (chunk) => {
      if (incoming.sizeBytes === 0) failPoint('download.first-byte');
      const sizeBytes = incoming.sizeBytes + chunk.length;
      // The announced size may be wrong.
      refuseTooLarge({ name: file.name, sizeBytes }, options.maximumSizeBytes);
      await onDisk(what, () => incoming.write(chunk));
      options.progress.advance(chunk.length);
    });
    failPoint('download.after');
    await onDisk(what, () => incoming.end());
    failPoint('sync.before');
    await onDisk(what, () => incoming.sync(what));
    failPoint('sync.after');
    const { sha256, sizeBytes } = incoming;
    return { sha256, sizeBytes };
  } finally {
    await onDisk(what, () => incoming.close());
  }
}

/** If the server reports no size, the file is trusted only when it sends the same bytes twice. */
async function proveByReadingTwice(
  folder: Looking,
  file: RemoteFile,
  sha256: string,
  options: ReceiveOptions,
): Promise<void> {
  const second = await options.archive.newIncoming();
  try {
    const again = await transfer(folder, file, second, options);
    if (again.sha256 !== sha256) {
      throw new ReconError(
        'FILE_INCOMPLETE',
        `${showName(file.name)}: the server reports no size and sent different bytes the second time; no part of it was kept.`,
      );
    }
  } finally {
    await second.remove();
  }
}
