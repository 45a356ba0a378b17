import { constants } from 'node:fs';
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ReconError } from '../../errors.js';
import type { RemoteFile, RemoteFolder } from './remote-folder.js';
import type { LocalSource } from './source-settings.js';

/** A folder of this machine, or of a file system that is mounted here. */
export function openLocalFolder(source: LocalSource): RemoteFolder {
  const where = `source ${source.name} (${source.folder})`;
  return {
    list: async () => {
      let names: string[];
      try {
        names = await readdir(source.folder);
      } catch (thrown) {
        throw new ReconError('SOURCE_LISTING', `The folder of ${where} cannot be read (${codeOf(thrown)}).`, {
          cause: thrown,
        });
      }
      if (names.length > source.maximumEntries) {
        throw new ReconError(
          'SOURCE_LISTING',
          `The folder of ${where} has ${names.length} entries, more than maximumEntries (${source.maximumEntries}).`,
        );
      }
      const files = await Promise.all(
        names.map((name) => statLocalFile(path.join(source.folder, name), name)),
      );
      // A name that was not UTF-8 cannot be asked for again; it stays in the list to be told, not skipped.
      return files.flatMap((file, index) => {
        const name = names[index] ?? '';
        if (file !== undefined) return [file];
        return name.includes('\ufffd')
          ? [{ name, path: name, sizeBytes: null, modifiedAtMs: null, isRegular: true }]
          : [];
      });
    },
    stat: (file) => statLocalFile(file.path, file.name),
    download: (file, { signal, write }) => readLocalFile(file.path, where, signal, write),
    settle: async (file, afterSuccess) => {
      try {
        if (afterSuccess.action === 'delete') await unlink(file.path);
        if (afterSuccess.action === 'move')
          await rename(file.path, path.join(path.resolve(source.folder, afterSuccess.folder), file.name));
      } catch (thrown) {
        throw new ReconError(
          'SOURCE_LISTING',
          `${where} does not let ${file.name} be moved or deleted (${codeOf(thrown)}); its records are stored.`,
          { cause: thrown },
        );
      }
    },
    close: () => Promise.resolve(),
  };
}

const codeOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? 'error';

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
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw new ReconError('FILE_UNREADABLE', `${file} cannot be looked at (${codeOf(thrown)}).`, {
      cause: thrown,
    });
  }
}

/** Reads a regular file; a link put in its place since it was looked at is not followed. */
export async function readLocalFile(
  file: string,
  where: string,
  signal: AbortSignal,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  let handle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (thrown) {
    const gone = codeOf(thrown) === 'ENOENT';
    throw new ReconError(
      gone ? 'FILE_VANISHED' : 'FILE_UNREADABLE',
      `${path.basename(file)} of ${where} cannot be opened (${codeOf(thrown)}).`,
      { cause: thrown },
    );
  }
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      await write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
