import path from 'node:path';
import type { Logger } from 'pino';
import { ReconError, errorCatalogue, exitCodes, type ErrorCode } from '../errors.js';
import type { Progress } from '../progress.js';
import { changing, receiveFile, refuseTooLarge } from './receive-file.js';
import { judgeName, showName } from './remote/file-names.js';
import { readLocalFile, statLocalFile } from './remote/local-folder.js';
import { openRemoteFolder } from './remote/open-remote-folder.js';
import type { RemoteFile, RemoteFolder } from './remote/remote-folder.js';
import { sourceDefaults, type SourceSettings } from './remote/source-settings.js';

/** The world, as far as fetching needs it. */
export interface FetchDependencies {
  /** Incoming files and the archive lie below it. */
  readonly dataDirectory: string;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly logger: Logger;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** SHA-256 of a remote file that is known by size and time, so that it need not be fetched again. */
  readonly knownFile: (file: {
    readonly path: string;
    readonly sizeBytes: number;
    readonly modifiedAtMs: number | null;
  }) => Promise<string | undefined>;
}

/** What became of one file of a source. */
export type FetchedFile =
  | {
      readonly status: 'received';
      readonly name: string;
      readonly remotePath: string;
      readonly sha256: string;
      readonly sizeBytes: number;
      readonly modifiedAtMs: number | null;
      /** Quiet long enough that size and time alone identify it next time. */
      readonly stable: boolean;
      readonly receivedAtMs: number;
      /** Moves or deletes the remote file as its source asks. */
      settle(): Promise<void>;
    }
  | { readonly status: 'known'; readonly name: string; readonly sha256: string; settle(): Promise<void> }
  | { readonly status: 'deferred' | 'failed'; readonly name: string; readonly error: ReconError };

/** Clocks of servers differ and times have whole seconds: younger than this is never "quiet". */
const quietMs = 3_000;

/** Trying these again would change nothing, or lock an account. */
const final: ReadonlySet<ErrorCode> = new Set([
  'SOURCE_AUTHENTICATION',
  'SOURCE_HOST_KEY',
  'SOURCE_CERTIFICATE',
  'SOURCE_INSECURE',
  'SOURCE_LISTING',
  'FILE_TOO_LARGE',
  'FILE_CHANGING',
  'FILE_VANISHED',
  'FILE_UNREADABLE',
]);

/**
 * Fetches what a source has, file by file in the order of names. One file's failure is told and the others go
 * on; a lost connection is opened again. Young files, and those that differ between two looks, are deferred.
 *
 * @throws ReconError SOURCE_* when the source itself cannot be reached, entered or listed; DISK_*.
 */
export async function* fetchSource(
  source: SourceSettings,
  deps: FetchDependencies,
): AsyncGenerator<FetchedFile> {
  const session = new Session(source, deps);
  try {
    const listed = await session.do((folder) => folder.list());
    const { files, unsafe, ignored } = chooseFiles(listed, source.filePattern);
    if (ignored > 0)
      deps.logger.debug({ source: source.name, ignored }, 'entries that are none of ours were ignored');
    for (const file of unsafe) yield { status: 'failed', name: showName(file.name), error: unsafeName(file) };
    for (const file of files) yield await fetchFile(session, source, file, deps);
  } finally {
    await session.close();
  }
}

/** Connects and lists once, for `recon doctor`. Says what was seen. */
export async function checkSource(
  source: SourceSettings,
  deps: Pick<FetchDependencies, 'random' | 'sleep' | 'signal'>,
): Promise<string> {
  const session = new Session(source, deps);
  try {
    const { files } = chooseFiles(await session.do((folder) => folder.list()), source.filePattern);
    return `reached; ${files.length} files match ${source.filePattern}`;
  } finally {
    await session.close();
  }
}

function chooseFiles(listed: readonly RemoteFile[], filePattern: string) {
  const judged = listed.map((file) => ({
    file,
    verdict: file.isRegular ? judgeName(file.name, filePattern) : 'ignore',
  }));
  const of = (verdict: string) =>
    judged
      .filter((one) => one.verdict === verdict)
      .map((one) => one.file)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { files: of('take'), unsafe: of('unsafe'), ignored: of('ignore').length };
}

function unsafeName(file: RemoteFile): ReconError {
  return new ReconError(
    'FILE_NAME_UNSAFE',
    `A file name holds characters that are not safe: ${showName(file.name)}; it was not fetched.`,
  );
}

async function fetchFile(
  session: Session,
  source: SourceSettings,
  file: RemoteFile,
  deps: FetchDependencies,
): Promise<FetchedFile> {
  const settle = () => session.do((folder) => folder.settle(file, source.afterSuccess));
  try {
    refuseTooLarge(file, source.maximumSizeBytes);
    // Servers that tell no time in the listing tell it when asked for the one file.
    const looked = file.modifiedAtMs === null ? await session.do((folder) => folder.stat(file)) : file;
    if (looked === undefined)
      throw new ReconError('FILE_VANISHED', `${showName(file.name)} was listed but is not there any more.`);
    const known =
      looked.sizeBytes === null
        ? undefined
        : await deps.knownFile({
            path: file.path,
            sizeBytes: looked.sizeBytes,
            modifiedAtMs: looked.modifiedAtMs,
          });
    if (known !== undefined) return { status: 'known', name: file.name, sha256: known, settle };
    const ageMs = looked.modifiedAtMs === null ? null : deps.clock() - looked.modifiedAtMs;
    if (ageMs !== null && ageMs < source.minimumAgeSeconds * 1000) throw changing(file);
    const received = await receiveWatched(session, source, file, looked, deps);
    const quiet = Math.max(source.minimumAgeSeconds * 1000, quietMs);
    return {
      status: 'received',
      name: file.name,
      remotePath: file.path,
      ...received,
      stable: received.modifiedAtMs !== null && deps.clock() - received.modifiedAtMs >= quiet,
      receivedAtMs: deps.clock(),
      settle,
    };
  } catch (thrown) {
    if (!(thrown instanceof ReconError) || !isFileFailure(thrown)) throw thrown;
    return {
      status: thrown.code === 'FILE_CHANGING' ? 'deferred' : 'failed',
      name: showName(file.name),
      error: thrown,
    };
  }
}

async function receiveWatched(
  session: Session,
  source: SourceSettings,
  listed: RemoteFile,
  looked: RemoteFile,
  deps: FetchDependencies,
) {
  if (listed.sizeBytes !== null && listed.sizeBytes !== looked.sizeBytes) throw changing(listed);
  return session.do(async (folder) => {
    const progress = deps.progress.begin(`fetching ${showName(listed.name)}`, looked.sizeBytes, 'bytes');
    try {
      return await receiveFile(folder, listed, {
        dataDirectory: deps.dataDirectory,
        maximumSizeBytes: source.maximumSizeBytes,
        signal: deps.signal,
        progress,
      });
    } finally {
      progress.end();
    }
  });
}

/** What ends the run (the local disk) or the whole source (its login) is no matter of one file. */
function isFileFailure({ code }: ReconError): boolean {
  const { exitCode } = errorCatalogue[code];
  const ofSource =
    code === 'SOURCE_AUTHENTICATION' ||
    code === 'SOURCE_HOST_KEY' ||
    code === 'SOURCE_CERTIFICATE' ||
    code === 'SOURCE_INSECURE';
  return !ofSource && (exitCode === exitCodes.sourceUnreadable || code === 'FILE_CHANGING');
}

/** A connection that is opened when it is needed, and again after it was lost. */
class Session {
  readonly #source: SourceSettings;
  readonly #deps: Pick<FetchDependencies, 'random' | 'sleep' | 'signal'>;
  #folder: RemoteFolder | undefined;

  constructor(source: SourceSettings, deps: Pick<FetchDependencies, 'random' | 'sleep' | 'signal'>) {
    this.#source = source;
    this.#deps = deps;
  }

  /** Does a piece of work, with a new connection and a pause between tries. */
  async do<T>(work: (folder: RemoteFolder) => Promise<T>): Promise<T> {
    const attempts = this.#source.protocol === 'local' ? 1 : this.#source.attempts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#folder ??= await openRemoteFolder(this.#source, this.#deps.signal);
        return await work(this.#folder);
      } catch (thrown) {
        if (!(thrown instanceof ReconError) || isRetryable(thrown)) await this.close();
        if (
          attempt >= attempts ||
          this.#deps.signal.aborted ||
          !(thrown instanceof ReconError) ||
          !isRetryable(thrown)
        )
          throw thrown;
        // Half fixed, half random: sources that failed together do not come back together.
        await this.#deps.sleep(1000 * 2 ** (attempt - 1) * (0.5 + this.#deps.random() / 2));
      }
    }
  }

  async close(): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    await folder?.close();
  }
}

function isRetryable({ code }: ReconError): boolean {
  return errorCatalogue[code].exitCode === exitCodes.sourceUnreadable && !final.has(code);
}

/** A file of this machine that was named on the command line: any name, any age, but a regular file. */
export async function receiveLocalPath(file: string, deps: FetchDependencies): Promise<FetchedFile> {
  const name = path.basename(file);
  try {
    const found = await statLocalFile(file, name);
    if (found === undefined) throw new ReconError('FILE_UNREADABLE', `${file} does not exist.`);
    if (!found.isRegular) throw new ReconError('FILE_UNREADABLE', `${file} is not a regular file.`);
    const folder: RemoteFolder = {
      list: () => Promise.resolve([found]),
      stat: () => statLocalFile(file, name),
      download: (_file, { signal, write }) => readLocalFile(file, 'the command line', signal, write),
      settle: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const received = await receiveFile(folder, found, {
      dataDirectory: deps.dataDirectory,
      maximumSizeBytes: sourceDefaults.maximumSizeBytes,
      signal: deps.signal,
      progress: deps.progress.begin(`reading ${showName(name)}`, found.sizeBytes, 'bytes'),
    });
    return {
      status: 'received',
      name,
      remotePath: file,
      ...received,
      stable: false,
      receivedAtMs: deps.clock(),
      settle: () => Promise.resolve(),
    };
  } catch (thrown) {
    if (!(thrown instanceof ReconError) || !isFileFailure(thrown)) throw thrown;
    return { status: 'failed', name: showName(name), error: thrown };
  }
}
