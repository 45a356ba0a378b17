import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { causeOf, isMissing } from '../../disk/disk-errors.js';
import { statIfThere } from '../../disk/unless-missing.js';
import { ReconError, isFetchFailure } from '../../errors.js';
import type { FetchDependencies, FetchedFile } from './fetched-file.js';
import { fetchSidecar, sidecarNames, type ReceivedSidecar } from './fetch-sidecar.js';
import { receiveFile, type ReceivedBytes } from './receive-file.js';
import { isTooLongName, showName, showPath } from '../../remote/file-names.js';
import { readLocalFile, statLocalFile } from '../../remote/local-folder.js';
import type { RemoteFile, RemoteFolder } from '../../remote/remote-folder.js';
import { sidecarDefaults, sourceDefaults } from '../../remote/source-settings.js';

/** The sidecar of a file that was named on the command line: `settlement.csv.totals` beside `settlement.csv`. */
export const localSidecar = { ...sidecarDefaults, sidecar: '{name}.totals', required: false };

/** The named paths without those that are the sidecar of another one. */
export function withoutSidecars(paths: readonly string[]): string[] {
  const sidecars = new Set(paths.flatMap((each) => sidecarNames(localSidecar, path.resolve(each))));
  return paths.filter((each) => !sidecars.has(path.resolve(each)));
}

/**
 * Receives a local file that was named on the command line: any name and age, but it must be a regular file. It
 * stays where it is. Links are followed, because a person named them.
 *
 * @returns `failed` with FILE_UNREADABLE when the file is missing, not regular or not readable; `deferred` when it is
 * still being written, although no later run looks for it.
 * @throws ReconError DISK_*; RUN_INTERRUPTED or the reason of the aborted signal.
 */
export async function receiveLocalPath(file: string, dependencies: FetchDependencies): Promise<FetchedFile> {
  const name = path.basename(file);
  try {
    return await receivePath(file, name, dependencies);
  } catch (thrown) {
    if (!isFetchFailure(thrown)) throw thrown;
    if (thrown.code !== 'FILE_CHANGING') return { status: 'failed', name: showName(name), error: thrown };
    const error = new ReconError(
      'FILE_CHANGING',
      `${showName(name)} changed while it was read, and no part of it was kept. No other run reads it: give it again once it is complete.`,
      { cause: thrown },
    );
    return { status: 'deferred', name: showName(name), error };
  }
}

async function receivePath(
  file: string,
  name: string,
  dependencies: FetchDependencies,
): Promise<FetchedFile> {
  const real = await followLinks(file);
  const found = await statLocalFile(real, name);
  if (found === undefined) throw unreadable(file, 'does not exist');
  if (found.isRegular !== true) throw unreadable(file, 'is not a regular file');
  const sidecar = await receiveSidecar(file, found, dependencies);
  return {
    status: 'received',
    name,
    remotePath: file,
    ...(await receiveNamed(real, found, dependencies)),
    sidecar,
    // A person who names a file again wants it read again.
    stable: false,
    receivedAtMs: dependencies.clock(),
    dispose: () => Promise.resolve([]),
  };
}

/** The sidecar beside the named file, if there is one. */
async function receiveSidecar(
  file: string,
  settlementFile: RemoteFile,
  dependencies: FetchDependencies,
): Promise<ReceivedSidecar | null> {
  for (const name of sidecarNames(localSidecar, settlementFile.name)) {
    // Asked about such a name, the system refuses to look, instead of saying that there is no such file.
    if (isTooLongName(name)) continue;
    const at = path.join(path.dirname(file), name);
    const found = await statLocalFile(at, name);
    if (found?.isRegular !== true) continue;
    const sidecar = await fetchSidecar(localSidecar, settlementFile, {
      archive: dependencies.archive,
      listed: new Map([[name, found]]),
      receive: () => receiveNamed(at, found, dependencies),
    });
    return sidecar === null ? null : { name: sidecar.name, sha256: sidecar.sha256 };
  }
  return null;
}

async function receiveNamed(
  at: string,
  found: RemoteFile,
  dependencies: FetchDependencies,
): Promise<ReceivedBytes> {
  const folder: Pick<RemoteFolder, 'listsExactTimes' | 'stat' | 'download'> = {
    listsExactTimes: true,
    stat: () => statLocalFile(at, found.name),
    download: (_file, write) => readLocalFile(at, 'the command line', dependencies.signal, write),
  };
  const progress = dependencies.progress.begin(`reading ${showName(found.name)}`, found.sizeBytes, 'bytes');
  try {
    return await receiveFile(folder, found, {
      archive: dependencies.archive,
      maximumSizeBytes: sourceDefaults.maximumSizeBytes,
      minimumAgeMs: 0,
      clock: dependencies.clock,
      progress,
    });
  } finally {
    progress.end();
  }
}

async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (thrown) {
    if (!isMissing(thrown)) throw unreadable(file, `cannot be read: ${causeOf(thrown)}`, thrown);
    // A pipe, such as /dev/stdin, has no name to which its link leads.
    const isThere = (await statIfThere(file).catch(() => undefined)) !== undefined;
    throw unreadable(file, isThere ? 'is not a regular file' : 'does not exist', thrown);
  }
}

function unreadable(file: string, why: string, cause?: unknown): ReconError {
  return new ReconError('FILE_UNREADABLE', `${showPath(file)} ${why}.`, { cause });
}
