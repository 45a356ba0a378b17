import path from 'node:path';
import { Writable } from 'node:stream';
import { FTPError, FileType, type Client, type FileInfo } from 'basic-ftp';
import { ReconError, type ErrorCode } from '../errors.js';
import { connectFtp, nameFtpSource } from './connect-ftp.js';
import { showName } from './file-names.js';
import { readListing } from './ftp-listing.js';
import { requestError, truncatedListing } from './ftp-request-errors.js';
import type { RemoteFile, RemoteFolder, WriteChunk } from './remote-folder.js';
import type { FtpSource } from './source-settings.js';
import { watchProgress, type Watch } from './with-deadline.js';

/** Opens a folder over FTP or FTPS; see `connectFtp` for the required security. */
export async function openFtpFolder(source: FtpSource, signal: AbortSignal): Promise<RemoteFolder> {
  const client = await connectFtp(source, signal);
  client.parseList = (text) => readListing(text, source);
  const where = nameFtpSource(source);
  const attempt = async <T>(
    totalMs: number,
    what: string,
    code: ErrorCode,
    work: (watch: Watch) => Promise<T>,
  ): Promise<T> => {
    const watch = watchProgress(source.stallTimeoutMs, totalMs, signal);
    try {
      const done = work(watch);
      // If the watch is first, a later failure of the work must not become an unhandled rejection.
      done.catch(() => undefined);
      return await Promise.race([done, watch.lost]);
    } catch (thrown) {
      // After anything except a reply of the server, the state of the control connection is unknown.
      if (!(thrown instanceof FTPError)) client.close();
      throw requestError(thrown, { where, what, code });
    } finally {
      watch.end();
    }
  };
  const ask = <T>(what: string, code: ErrorCode, work: () => Promise<T>) =>
    attempt(source.stallTimeoutMs, what, code, work);
  let base: string;
  try {
    base = await ask(`enter ${source.folder}`, 'SOURCE_LISTING', () => enterFolder(client, source.folder));
  } catch (thrown) {
    client.close();
    throw thrown;
  }
  const pathOf = (name: string) => path.posix.join(base, name);
  return {
    listsExactTimes: false,
    list: () =>
      attempt(source.fileTimeoutMs, `list ${source.folder}`, 'SOURCE_LISTING', async (watch) => {
        const entries = await listWhole(client, watch);
        refuseTooMany(entries.length, source);
        return entries.map((entry) => toRemoteFile(entry, pathOf(entry.name)));
      }),
    stat: (file) => ask(`look at ${showName(file.name)}`, 'FILE_UNREADABLE', () => lookAt(client, file)),
    download: (file, write) =>
      attempt(source.fileTimeoutMs, `send ${showName(file.name)}`, 'FILE_UNREADABLE', (watch) =>
        downloadFile(client, file, watch, write),
      ),
    remove: (file) =>
      ask(`delete ${showName(file.name)}`, 'SOURCE_LISTING', async () => {
        await client.remove(file.path);
      }),
    move: (file, folder, name) =>
      attempt(source.fileTimeoutMs, `move ${showName(file.name)} to ${folder}`, 'SOURCE_LISTING', (watch) =>
        moveFile(client, file, { folder: path.posix.resolve(base, folder), name }, watch),
      ),
    requireFolder: (folder) =>
      ask(`find the folder ${folder} of afterSuccess`, 'SOURCE_LISTING', () =>
        enterAndReturn(client, base, folder),
      ),
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
}

/**
 * Changes to the folder and returns its path. For a folder that does not exist, many servers return an empty
 * listing, but changing to it fails.
 */
async function enterFolder(client: Client, folder: string): Promise<string> {
  if (folder !== '.' && folder !== '') await client.cd(folder);
  return client.pwd();
}

/** Changes to a folder, which fails if it does not exist, and back. */
async function enterAndReturn(client: Client, base: string, folder: string): Promise<void> {
  await client.cd(path.posix.resolve(base, folder));
  await client.cd(base);
}

/**
 * Pure-FTPd lists at most 10,000 entries, and says only in its last reply that there are more.
 *
 * @throws Error `truncatedListing`
 */
async function listWhole(client: Client, watch: Watch, folder = ''): Promise<FileInfo[]> {
  const { ftp } = client;
  const handle = ftp.handle.bind(ftp);
  const replies = { areTruncated: false };
  ftp.handle = (command, respond) =>
    handle(command, (response, task) => {
      replies.areTruncated ||= !(response instanceof Error) && /truncated/i.test(response.message);
      respond(response, task);
    });
  try {
    const entries = await listWatched(client, watch, folder);
    if (!replies.areTruncated) return entries;
  } finally {
    ftp.handle = handle;
  }
  throw new Error(truncatedListing);
}

/** The library reports progress twice a second, whether or not any bytes arrived. */
async function listWatched(client: Client, watch: Watch, folder: string): Promise<FileInfo[]> {
  let seen = 0;
  client.trackProgress(({ bytesOverall }) => {
    if (bytesOverall > seen) watch.progress();
    seen = bytesOverall;
  });
  try {
    return await client.list(folder);
  } finally {
    client.trackProgress();
  }
}

function refuseTooMany(entries: number, source: FtpSource): void {
  if (entries <= source.maximumEntries) return;
  throw new ReconError(
    'SOURCE_LISTING',
    `The folder of ${nameFtpSource(source)} has more than maximumEntries (${source.maximumEntries}) entries; none was fetched.`,
  );
}

function toRemoteFile(entry: FileInfo, at: string): RemoteFile {
  const isKindKnown = entry.type !== FileType.Unknown;
  // The library also returns 0 where the listing has no size, so an empty file is looked at.
  const hasSize = isKindKnown && entry.size > 0;
  return {
    name: entry.name,
    path: at,
    sizeBytes: hasSize ? entry.size : null,
    modifiedAtMs: wholeSeconds(entry.modifiedAt),
    isRegular: isKindKnown ? entry.type === FileType.File : null,
  };
}

/** For the same file, some answers have milliseconds and others do not. */
function wholeSeconds(time: Date | undefined): number | null {
  const epochMs = time?.getTime() ?? Number.NaN;
  return Number.isNaN(epochMs) ? null : Math.floor(epochMs / 1000) * 1000;
}

/** SIZE and MDTM where the server supports them; null otherwise. */
async function lookAt(client: Client, file: RemoteFile): Promise<RemoteFile | undefined> {
  let sizeBytes: number | null = null;
  try {
    sizeBytes = await sizeOf(client, file.path);
  } catch (thrown) {
    if (!(thrown instanceof FTPError)) throw thrown;
    if (thrown.code === 550) return undefined;
    if (thrown.code < 500) throw thrown;
  }
  let modifiedAtMs: number | null = null;
  try {
    modifiedAtMs = wholeSeconds(await client.lastMod(file.path));
  } catch (thrown) {
    if (!(thrown instanceof FTPError) || thrown.code < 500) throw thrown;
  }
  return { ...file, sizeBytes, modifiedAtMs };
}

/** Null if the reply has no size: ftp-srv answers an empty file with text alone. */
async function sizeOf(client: Client, at: string): Promise<number | null> {
  const { message } = await client.send(`SIZE ${at}`);
  const digits = /^213 +(\d+)/.exec(message)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Where a file is moved to. */
interface MoveTarget {
  readonly folder: string;
  readonly name: string;
}

/** @returns false if the target exists */
async function moveFile(
  client: Client,
  file: RemoteFile,
  target: MoveTarget,
  watch: Watch,
): Promise<boolean> {
  if (await isTaken(client, target, watch)) return false;
  await client.rename(file.path, path.posix.join(target.folder, target.name));
  return true;
}

/** A server with neither SIZE nor MDTM does not say whether a file exists; its folder is listed then. */
async function isTaken(client: Client, { folder, name }: MoveTarget, watch: Watch): Promise<boolean> {
  const at = path.posix.join(folder, name);
  const found = await lookAt(client, {
    name,
    path: at,
    sizeBytes: null,
    modifiedAtMs: null,
    isRegular: null,
  });
  if (found === undefined) return false;
  if (found.sizeBytes !== null || found.modifiedAtMs !== null) return true;
  const entries = await listWhole(client, watch, folder);
  return entries.some((entry) => entry.name === name);
}

async function downloadFile(
  client: Client,
  file: RemoteFile,
  watch: Watch,
  write: WriteChunk,
): Promise<void> {
  // Our own failure (a full disk) must reach the caller unchanged, not as the library's error.
  let own: Error | undefined;
  const sink = new Writable({
    highWaterMark: 1024 * 1024,
    write: (chunk: Buffer, _encoding, done) => {
      watch.progress();
      write(chunk).then(
        () => done(),
        (thrown: unknown) => {
          own = thrown instanceof Error ? thrown : new Error(String(thrown));
          done(own);
        },
      );
    },
  });
  sink.on('error', () => undefined);
  try {
    await client.downloadTo(sink, file.path);
  } catch (thrown) {
    if (own !== undefined) {
      client.close();
      throw own;
    }
    // The server sends the same reply for a missing file and for one without permission.
    if (thrown instanceof FTPError && thrown.code === 550 && (await lookAt(client, file)) === undefined) {
      throw new ReconError('FILE_VANISHED', `${showName(file.name)} was listed but no longer exists.`, {
        cause: thrown,
      });
    }
    throw thrown;
  }
}
