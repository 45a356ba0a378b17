import { constants, type Dirent } from 'node:fs';
import { access, lstat, open, opendir, rename, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { causeOf, isMissing } from '../disk/disk-errors.js';
import { ReconError } from '../errors.js';
import { showName } from './file-names.js';
import type { RemoteFile, RemoteFolder, WriteChunk } from './remote-folder.js';
import type { LocalSource } from './source-settings.js';
import { fetchInterruption } from './with-deadline.js';

/** A folder of this machine, or of a file system that is mounted here. */
export function openLocalFolder(source: LocalSource, signal: AbortSignal): RemoteFolder {
  const where = `source ${source.name} (${source.folder})`;
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw new ReconError('SOURCE_LISTING', `${where} could not ${what}: ${causeOf(thrown)}.`, {
        cause: thrown,
      });
    }
  };
  return {
    listsExactTimes: true,
    list: () => listFolder(source, where, signal),
    stat: (file) => statLocalFile(file.path, file.name),
    download: (file, write) => readLocalFile(file.path, where, signal, write),
    remove: (file) => attempt(`delete ${showName(file.name)}`, () => unlink(file.path)),
    move: (file, folder, name) =>
      attempt(`move ${showName(file.name)} to ${path.resolve(source.folder, folder)}`, async () => {
        const target = path.join(path.resolve(source.folder, folder), name);
        if ((await statLocalFile(target, name)) !== undefined) return false;
        await rename(file.path, target);
        return true;
      }),
    requireFolder: (folder) =>
      attempt(`find the folder ${path.resolve(source.folder, folder)} of afterSuccess`, () =>
        // With the dot, a file of this name is refused.
        access(`${path.resolve(source.folder, folder)}/.`, constants.W_OK | constants.X_OK),
      ),
    close: () => Promise.resolve(),
  };
}

async function listFolder(source: LocalSource, where: string, signal: AbortSignal): Promise<RemoteFile[]> {
  const files: RemoteFile[] = [];
  try {
    for await (const entry of await opendir(source.folder)) {
      if (signal.aborted) throw fetchInterruption(signal);
      if (files.length === source.maximumEntries) {
        throw new ReconError(
          'SOURCE_LISTING',
          `The folder of ${where} has more than maximumEntries (${source.maximumEntries}) entries; none was fetched.`,
        );
      }
      const at = path.join(source.folder, entry.name);
      files.push((await statLocalFile(at, entry.name)) ?? withoutFacts(entry, at));
    }
  } catch (thrown) {
    if (thrown instanceof ReconError && thrown.code !== 'FILE_UNREADABLE') throw thrown;
    const cause = thrown instanceof ReconError ? thrown.cause : thrown;
    throw new ReconError('SOURCE_LISTING', `The folder of ${where} cannot be read: ${causeOf(cause)}.`, {
      cause,
    });
  }
  return files;
}

/** A file that is listed but not found by its name: the name is not UTF-8, or the file has just been removed. */
const withoutFacts = (entry: Dirent, at: string): RemoteFile => ({
  name: entry.name,
  path: at,
  sizeBytes: null,
  modifiedAtMs: null,
  isRegular: entry.isFile(),
});

/**
 * A file of this machine as it is now, links not followed; undefined when it does not exist.
 *
 * @throws ReconError FILE_UNREADABLE.
 */
export async function statLocalFile(file: string, name: string): Promise<RemoteFile | undefined> {
  try {
    const stats = await lstat(file);
    return {
      name,
      path: file,
      sizeBytes: stats.size,
      modifiedAtMs: Math.trunc(stats.mtimeMs),
      isRegular: stats.isFile(),
    };
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw new ReconError('FILE_UNREADABLE', `${showName(name)} cannot be read: ${causeOf(thrown)}.`, {
      cause: thrown,
    });
  }
}

const mostBytesAtOnce = 1024 * 1024;

/**
 * Reads a regular file. If it was replaced since it was checked, a link is not followed and a pipe is not waited
 * for.
 *
 * @throws ReconError FILE_VANISHED, FILE_UNREADABLE, or the reason of the aborted signal.
 */
export async function readLocalFile(
  file: string,
  where: string,
  signal: AbortSignal,
  write: WriteChunk,
): Promise<void> {
  const reading = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw new ReconError(
        isMissing(thrown) ? 'FILE_VANISHED' : 'FILE_UNREADABLE',
        `${showName(path.basename(file))} of ${where} cannot be read: ${causeOf(thrown)}.`,
        { cause: thrown },
      );
    }
  };
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle: FileHandle = await reading(() => open(file, flags));
  try {
    const found = await reading(() => handle.stat());
    if (!found.isFile()) {
      throw new ReconError('FILE_UNREADABLE', `${showName(path.basename(file))} is not a regular file.`);
    }
    // A small file fits into a small buffer; one byte more shows its end.
    const buffer = Buffer.allocUnsafe(Math.min(mostBytesAtOnce, found.size + 1));
    for (;;) {
      if (signal.aborted) throw fetchInterruption(signal);
      const { bytesRead } = await reading(() => handle.read(buffer, 0, buffer.length, null));
      if (bytesRead === 0) return;
      await write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
