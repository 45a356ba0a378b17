import path from 'node:path';
import type { Attributes, FileEntryWithStats, SFTPWrapper } from 'ssh2';
import { folderModeFor } from '../disk/private-files.js';
import { ReconError } from '../errors.js';
import { readSftpFile } from './read-sftp-file.js';
import { openSftpRequests, sftpStatusOf, STATUS_CODE } from './sftp-requests.js';
import type { TargetFolder } from './target-folder.js';
import type { SftpTarget } from './target-settings.js';
import { writeSftpFile } from './write-sftp-file.js';

const undelivered = 'REPORT_UNDELIVERED';
const isFolder = (attributes: Partial<Attributes>) => ((attributes.mode ?? 0) & 0o170000) === 0o040000;

/**
 * A folder on an SFTP server.
 *
 * @throws ReconError SOURCE_* if the server cannot be reached or refuses the login; REPORT_UNDELIVERED if there is no
 *   such folder
 */
export async function openSftpTarget(
  target: SftpTarget,
  fileMode: number,
  signal: AbortSignal,
): Promise<TargetFolder> {
  const { session, where, attempt, ask, close } = await openSftpRequests(target, signal);
  const { sftp } = session;
  const at = (name: string) => path.posix.join(target.folder, name);
  const look = (name: string) => ask(`look at ${name}`, undelivered, () => lookAt(sftp, at(name)));
  const sizeOf = async (name: string) => {
    const found = await look(name);
    return found === undefined || isFolder(found) ? undefined : found.size;
  };
  try {
    const found = await ask('look at its folder', undelivered, () => lookAt(sftp, target.folder, 'stat'));
    if (found === undefined || !isFolder(found)) {
      throw new ReconError(undelivered, `${where} has no folder ${target.folder}; recon does not create it.`);
    }
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    where,
    exists: async (name) => (await look(name)) !== undefined,
    size: sizeOf,
    read: async (name, maximumBytes) => {
      const sizeBytes = await sizeOf(name);
      if (sizeBytes === undefined || sizeBytes > maximumBytes) return undefined;
      return attempt(target.fileTimeoutMs, `read ${name}`, undelivered, async (watch) => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        const isLonger = () => bytes > sizeBytes;
        await readSftpFile(sftp, { path: at(name), sizeBytes }, isLonger, (piece) => {
          watch.progress();
          bytes += piece.length;
          pieces.push(Buffer.from(piece));
          return Promise.resolve();
        });
        // A server that says less than it sends could send without end.
        return isLonger() ? undefined : Buffer.concat(pieces);
      });
    },
    makeFolder: (name) => {
      const mode = folderModeFor(fileMode);
      return ask(`create ${name}`, undelivered, async () => {
        await answered((done) => sftp.mkdir(at(name), { mode }, done));
        // The mask of the server may have narrowed the mode; some servers refuse to change it.
        await answered((done) => sftp.chmod(at(name), mode, done)).catch(() => undefined);
      });
    },
    write: (name, pieces) =>
      attempt(target.fileTimeoutMs, `write ${name}`, undelivered, (watch) =>
        writeSftpFile(sftp, at(name), { fileMode, pieces, progress: () => watch.progress() }),
      ),
    rename: (from, to) =>
      ask(`rename ${from} to ${to}`, undelivered, () =>
        answered((done) => sftp.rename(at(from), at(to), done)),
      ),
    remove: (name) =>
      attempt(target.fileTimeoutMs, `delete ${name}`, undelivered, async (watch) => {
        const found = await lookAt(sftp, at(name));
        if (found !== undefined) await removeTree(sftp, at(name), found, () => watch.progress());
      }),
    close,
  };
}

/** Waits for an answer without content. */
function answered(request: (done: (failed: Error | null | undefined) => void) => void): Promise<void> {
  return new Promise((resolve, reject) =>
    request((failed) => (failed === undefined || failed === null ? resolve() : reject(failed))),
  );
}

/** Undefined if nothing is there. A link is followed only with `stat`. */
function lookAt(
  sftp: SFTPWrapper,
  file: string,
  how: 'stat' | 'lstat' = 'lstat',
): Promise<Partial<Attributes> | undefined> {
  return new Promise((resolve, reject) => {
    sftp[how](file, (failed: Error | undefined, attributes: Attributes) => {
      if (failed === undefined) resolve(attributes);
      else if (sftpStatusOf(failed) === STATUS_CODE.NO_SUCH_FILE) resolve(undefined);
      else reject(failed);
    });
  });
}

/** Links are removed, not followed. */
async function removeTree(
  sftp: SFTPWrapper,
  file: string,
  attributes: Partial<Attributes>,
  progress: () => void,
): Promise<void> {
  progress();
  if (!isFolder(attributes)) return answered((done) => sftp.unlink(file, done));
  for (const { filename, attrs } of await entriesOf(sftp, file)) {
    if (filename === '.' || filename === '..' || filename.includes('/')) continue;
    await removeTree(sftp, path.posix.join(file, filename), attrs, progress);
  }
  return answered((done) => sftp.rmdir(file, done));
}

function entriesOf(sftp: SFTPWrapper, folder: string): Promise<FileEntryWithStats[]> {
  return new Promise((resolve, reject) => {
    sftp.readdir(folder, (failed, entries) => (failed === undefined ? resolve(entries) : reject(failed)));
  });
}
