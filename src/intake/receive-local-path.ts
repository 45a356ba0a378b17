import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { causeOf, isMissing } from '../disk/disk-errors.js';
import { ReconError, isFetchFailure } from '../errors.js';
import type { FetchDependencies, FetchedFile } from './fetched-file.js';
import { receiveFile } from './receive-file.js';
import { showName, showPath } from '../remote/file-names.js';
import { readLocalFile, statLocalFile } from '../remote/local-folder.js';
import type { RemoteFolder } from '../remote/remote-folder.js';
import { sourceDefaults } from '../remote/source-settings.js';

/**
 * Receives a local file that was named on the command line: any name and age, but it must be a regular file. It
 * stays where it is. Links are followed, because a person named them.
 *
 * @returns `failed` with FILE_UNREADABLE when the file is missing, not regular or not readable.
 * @throws ReconError DISK_*; RUN_INTERRUPTED or the reason of the aborted signal.
 */
export async function receiveLocalPath(file: string, deps: FetchDependencies): Promise<FetchedFile> {
  const name = path.basename(file);
  try {
    return await receivePath(file, name, deps);
  } catch (thrown) {
    if (!isFetchFailure(thrown)) throw thrown;
    return {
      status: thrown.code === 'FILE_CHANGING' ? 'deferred' : 'failed',
      name: showName(name),
      error: thrown,
    };
  }
}

async function receivePath(file: string, name: string, deps: FetchDependencies): Promise<FetchedFile> {
  const real = await followLinks(file);
  const found = await statLocalFile(real, name);
  if (found === undefined) throw unreadable(file, 'does not exist');
  if (found.isRegular !== true) throw unreadable(file, 'is not a regular file');
  const folder: Pick<RemoteFolder, 'listsExactTimes' | 'stat' | 'download'> = {
    listsExactTimes: true,
    stat: () => statLocalFile(real, name),
    download: (_file, write) => readLocalFile(real, 'the command line', deps.signal, write),
  };
  const progress = deps.progress.begin(`reading ${showName(name)}`, found.sizeBytes, 'bytes');
  try {
    const received = await receiveFile(folder, found, {
      dataDirectory: deps.dataDirectory,
      maximumSizeBytes: sourceDefaults.maximumSizeBytes,
      minimumAgeMs: 0,
      clock: deps.clock,
      progress,
    });
    return {
      status: 'received',
      name,
      remotePath: file,
      ...received,
      // A person who names a file again wants it read again.
      stable: false,
      receivedAtMs: deps.clock(),
      dispose: () => Promise.resolve(),
    };
  } finally {
    progress.end();
  }
}

async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (thrown) {
    const why = isMissing(thrown) ? 'does not exist' : `cannot be read: ${causeOf(thrown)}`;
    throw unreadable(file, why, thrown);
  }
}

function unreadable(file: string, why: string, cause?: unknown): ReconError {
  return new ReconError('FILE_UNREADABLE', `${showPath(file)} ${why}.`, { cause });
}
