import path from 'node:path';
import type { Attributes, FileEntryWithStats, SFTPWrapper } from 'ssh2';
import { ReconError } from '../errors.js';
import type { SftpSession } from './connect-sftp.js';
import { nameSftpSource } from './sftp-login-errors.js';
import { showName } from './file-names.js';
import { readSftpFile } from './read-sftp-file.js';
import type { RemoteFile, RemoteFolder } from './remote-folder.js';
import { openSftpRequests, sftpStatusOf, STATUS_CODE } from './sftp-requests.js';
import type { SftpSource } from './source-settings.js';
import type { Watch } from './with-deadline.js';

/** Limit for the names in one listing, in bytes: a server could send ever longer names instead of more names. */
const listingBytes = 64 * 1024 * 1024;

/** Opens a folder over SFTP. */
export async function openSftpFolder(source: SftpSource, signal: AbortSignal): Promise<RemoteFolder> {
  const { session, attempt, ask, close } = await openSftpRequests(source, signal);
  const { sftp } = session;
  return {
    listsExactTimes: true,
    list: () =>
      attempt(source.fileTimeoutMs, `list ${source.folder}`, 'SOURCE_LISTING', (watch) =>
        listCapped(sftp, source, watch),
      ),
    stat: (file) => ask(`look at ${showName(file.name)}`, 'FILE_UNREADABLE', () => lookAt(sftp, file)),
    download: (file, write) => {
      let isStopped = false;
      return attempt(source.fileTimeoutMs, `send ${showName(file.name)}`, 'FILE_UNREADABLE', (watch) =>
        readSftpFile(
          sftp,
          file,
          () => isStopped,
          async (chunk) => {
            watch.progress();
            await write(chunk);
          },
        ),
      ).finally(() => (isStopped = true));
    },
    remove: (file) =>
      ask(`delete ${showName(file.name)}`, 'SOURCE_LISTING', async () => {
        await session.client.delete(file.path);
      }),
    move: (file, folder, name) =>
      ask(`move ${showName(file.name)} to ${folder}`, 'SOURCE_LISTING', () =>
        moveFile(session, file, path.posix.join(pathOf(source, folder), name)),
      ),
    requireFolder: (folder) =>
      ask(`find the folder ${folder} of afterSuccess`, 'SOURCE_LISTING', () =>
        requireFolder(sftp, pathOf(source, folder)),
      ),
    close,
  };
}

/** The path of a folder or file that is named relative to the source's folder. */
function pathOf(source: SftpSource, name: string): string {
  return path.posix.isAbsolute(name) ? name : path.posix.join(source.folder, name);
}

/** Reads the listing piece by piece, so that an endless one fails at the limit instead of filling the memory. */
async function listCapped(sftp: SFTPWrapper, source: SftpSource, watch: Watch): Promise<RemoteFile[]> {
  const handle = await openFolder(sftp, source.folder);
  try {
    const files: RemoteFile[] = [];
    let bytes = 0;
    for (;;) {
      const entries = await readEntries(sftp, handle);
      if (entries === undefined) return files;
      watch.progress();
      for (const { filename, longname, attrs } of entries) {
        bytes += filename.length + longname.length;
        if (filename !== '.' && filename !== '..')
          files.push(toRemoteFile(filename, path.posix.join(source.folder, filename), attrs, longname));
      }
      if (files.length > source.maximumEntries || bytes > listingBytes) {
        throw new ReconError(
          'SOURCE_LISTING',
          `The folder of ${nameSftpSource(source)} has more than maximumEntries (${source.maximumEntries}) entries; none was fetched.`,
        );
      }
    }
  } finally {
    sftp.close(handle, () => undefined);
  }
}

function openFolder(sftp: SFTPWrapper, folder: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sftp.opendir(folder, (failed, handle) => (failed === undefined ? resolve(handle) : reject(failed)));
  });
}

/** The next entries of a folder; undefined at its end. */
function readEntries(sftp: SFTPWrapper, handle: Buffer): Promise<FileEntryWithStats[] | undefined> {
  return new Promise((resolve, reject) => {
    sftp.readdir(handle, (failed, entries) => {
      if (failed === undefined) resolve(entries);
      else if (sftpStatusOf(failed) === STATUS_CODE.EOF) resolve(undefined);
      else reject(failed);
    });
  });
}

/** A server may omit size, kind and time, although the types say otherwise. */
function toRemoteFile(name: string, at: string, attributes: Partial<Attributes>, longname = ''): RemoteFile {
  return {
    name,
    path: at,
    sizeBytes: attributes.size ?? null,
    modifiedAtMs: attributes.mtime === undefined ? null : attributes.mtime * 1000,
    isRegular: isRegular(attributes.mode, longname),
  };
}

/** Decides by the mode (0o100000 is S_IFREG), else by the first letter of a line in the format of `ls -l`. */
function isRegular(mode: number | undefined, longname: string): boolean | null {
  if (mode !== undefined && (mode & 0o170000) !== 0) return (mode & 0o170000) === 0o100000;
  return /^[-dlbcps][-r][-w]/.test(longname) ? longname.startsWith('-') : null;
}

/** `lstat`, since a link is not followed; undefined when nothing is there. */
function lookAt(sftp: SFTPWrapper, file: RemoteFile): Promise<RemoteFile | undefined> {
  return new Promise((resolve, reject) => {
    sftp.lstat(file.path, (failed, attributes) => {
      if (failed === undefined) {
        const found = toRemoteFile(file.name, file.path, attributes);
        // Only a listing has the long form that shows the kind.
        resolve({ ...found, isRegular: found.isRegular ?? file.isRegular });
      } else if (sftpStatusOf(failed) === STATUS_CODE.NO_SUCH_FILE) resolve(undefined);
      else reject(failed);
    });
  });
}

/** @returns false if the target exists */
async function moveFile(session: SftpSession, file: RemoteFile, target: string): Promise<boolean> {
  if ((await lookAt(session.sftp, { ...file, path: target })) !== undefined) return false;
  await session.client.rename(file.path, target);
  return true;
}

/** Follows links, as a move does. The folder is not opened, because recon may only have the right to write there. */
function requireFolder(sftp: SFTPWrapper, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // With the dot, a file of this name is refused.
    sftp.stat(`${folder}/.`, (failed) => (failed === undefined ? resolve() : reject(failed)));
  });
}
