import type { Logger } from 'pino';
import { ReconError, isFetchFailure } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { FetchDependencies, FetchedFile } from './fetched-file.js';
import { changingFile, refuseYoung, sensibleTime } from './detect-change.js';
import { receiveFile, refuseTooLarge, vanishedFile } from './receive-file.js';
import { judgeName, showName, type NameVerdict } from '../remote/file-names.js';
import type { RemoteFile } from '../remote/remote-folder.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { disposeOfRemoteFile } from './dispose-remote-file.js';
import { SourceSession, type SessionDependencies } from './source-session.js';

export type { FetchDependencies, FetchedFile } from './fetched-file.js';
export { receiveLocalPath } from './receive-local-path.js';

/** Pause between two listings of a server that reports no times. */
const secondLookMs = 3_000;

/** After this many failed files in a row, the source is at fault, not the files. */
const failuresInARow = 3;

/**
 * Fetches the files of a source one by one, in the order of their names. A failed file is reported and the others
 * continue; a lost connection is opened again. Files that are too young or still changing are deferred.
 *
 * @throws ReconError SOURCE_* when the source itself cannot be reached, entered or listed, or stops
 *   sending files; DISK_*; RUN_INTERRUPTED or the reason of the aborted signal.
 */
export async function* fetchSource(
  source: SourceSettings,
  deps: FetchDependencies,
): AsyncGenerator<FetchedFile> {
  const session = new SourceSession(source, deps);
  for (const warning of session.warnings) deps.logger.warn({ source: source.name }, warning);
  try {
    const entries = chooseEntries(await session.do((folder) => folder.list()), source.filePattern);
    failPoint('list.after');
    logIgnored(source, entries, deps.logger);
    const secondLook = lookAgainOnce(session, deps);
    let failures = 0;
    for (const { file, verdict } of entries) {
      if (verdict === 'ignore' || file.isRegular === false) continue;
      const fetched = await fetchEntry(session, source, { file, verdict }, secondLook, deps);
      yield fetched;
      failures = isLostTransfer(fetched) ? failures + 1 : 0;
      if (failures === failuresInARow && 'error' in fetched) throw givenUp(source, fetched.error);
    }
  } finally {
    await session.end();
  }
}

/** Connects and lists once, for `recon doctor`. Returns a sentence about what it found. */
export async function checkSource(source: SourceSettings, deps: SessionDependencies): Promise<string> {
  const session = new SourceSession(source, deps);
  try {
    const entries = chooseEntries(await session.do((folder) => folder.list()), source.filePattern);
    const count = entries.filter(
      ({ file, verdict }) => verdict === 'take' && file.isRegular !== false,
    ).length;
    const verdict = `reached; ${count} files match ${source.filePattern}`;
    return [verdict, ...session.warnings].join('\n');
  } finally {
    await session.end();
  }
}

interface Entry {
  readonly file: RemoteFile;
  readonly verdict: NameVerdict;
}

/** Every entry once, in the order of code units, with the verdict on its name. */
function chooseEntries(listed: readonly RemoteFile[], filePattern: string): Entry[] {
  return [...new Map(listed.map((file) => [file.name, file])).values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((file) => ({ file, verdict: judgeName(file.name, filePattern) }));
}

/** Logs entries that match the pattern but are not files, since somebody may expect them. */
function logIgnored(source: SourceSettings, entries: readonly Entry[], logger: Logger): void {
  const ignored = entries.filter(({ verdict }) => verdict === 'ignore').length;
  const special = entries.filter(({ file, verdict }) => verdict !== 'ignore' && file.isRegular === false);
  if (ignored > 0) logger.debug({ source: source.name, ignored }, 'entries that do not match the pattern');
  if (special.length > 0) {
    const names = special.slice(0, 10).map(({ file }) => showName(file.name));
    logger.warn(
      { source: source.name, count: special.length, names },
      'folders, links or pipes match the pattern; only regular files are fetched',
    );
  }
}

async function fetchEntry(
  session: SourceSession,
  source: SourceSettings,
  { file, verdict }: Entry,
  secondLook: SecondLook,
  deps: FetchDependencies,
): Promise<FetchedFile> {
  try {
    if (verdict === 'unsafe') throw unsafeName(file);
    return await fetchFile(session, source, file, secondLook, deps);
  } catch (thrown) {
    if (session.couldNotOpen(thrown) || !isFetchFailure(thrown)) throw thrown;
    return {
      status: thrown.code === 'FILE_CHANGING' ? 'deferred' : 'failed',
      name: showName(file.name),
      error: thrown,
    };
  }
}

function unsafeName(file: RemoteFile): ReconError {
  return new ReconError(
    'FILE_NAME_UNSAFE',
    `A file name contains unsafe characters: ${showName(file.name)}; it was not fetched.`,
  );
}

async function fetchFile(
  session: SourceSession,
  source: SourceSettings,
  file: RemoteFile,
  secondLook: SecondLook,
  deps: FetchDependencies,
): Promise<FetchedFile> {
  const minimumAgeMs = source.minimumAgeSeconds * 1000;
  refuseTooLarge(file, source.maximumSizeBytes);
  // Some servers omit attributes in the listing but return them for a single file.
  const isTold = file.modifiedAtMs !== null && file.sizeBytes !== null;
  const looked = isTold ? file : await session.do((folder) => folder.stat(file));
  if (looked === undefined) throw vanishedFile(file);
  const { sizeBytes, modifiedAtMs } = looked;
  if (sizeBytes !== null) {
    const sha256 = await deps.knownFile({ path: file.path, sizeBytes, modifiedAtMs });
    if (sha256 !== undefined) {
      const dispose = disposeLater(session, source, { file, sha256, sizeBytes, modifiedAtMs }, deps);
      return { status: 'known', name: file.name, sha256, dispose };
    }
  }
  refuseYoung(looked, deps.clock(), minimumAgeMs);
  if (minimumAgeMs > 0 && sensibleTime(modifiedAtMs, deps.clock()) === null) await secondLook(file);
  const received = await session.do(async (folder) => {
    const progress = deps.progress.begin(`fetching ${showName(file.name)}`, sizeBytes, 'bytes');
    try {
      return await receiveFile(folder, file, {
        dataDirectory: deps.dataDirectory,
        maximumSizeBytes: source.maximumSizeBytes,
        minimumAgeMs,
        clock: deps.clock,
        progress,
      });
    } finally {
      progress.end();
    }
  });
  return {
    status: 'received',
    name: file.name,
    remotePath: file.path,
    ...received,
    receivedAtMs: deps.clock(),
    dispose: disposeLater(session, source, { file, ...received }, deps),
  };
}

function disposeLater(
  session: SourceSession,
  source: SourceSettings,
  fetched: Parameters<typeof disposeOfRemoteFile>[1],
  deps: FetchDependencies,
): () => Promise<void> {
  return async () => {
    if (source.afterSuccess.action === 'none') return;
    const left = await session.do((folder) => disposeOfRemoteFile(folder, fetched, source.afterSuccess));
    if (left !== undefined) deps.logger.warn({ source: source.name }, left);
  };
}

/** Waits for a second listing and compares the file with its entry there. */
type SecondLook = (file: RemoteFile) => Promise<void>;

/**
 * A server that reports no times does not show how long a file has been unchanged. It is listed again after a
 * pause, once for all its files, and files that have changed are deferred.
 *
 * @throws ReconError FILE_CHANGING.
 */
function lookAgainOnce(session: SourceSession, deps: FetchDependencies): SecondLook {
  let sizes: Promise<ReadonlyMap<string, number | null>> | undefined;
  const list = async () => {
    await deps.sleep(secondLookMs);
    const again = await session.do((folder) => folder.list());
    return new Map(again.map(({ name, sizeBytes }) => [name, sizeBytes]));
  };
  return async (file) => {
    sizes ??= list();
    const size = (await sizes).get(file.name);
    if (size === undefined) throw vanishedFile(file);
    if (size !== file.sizeBytes) throw changingFile(file, 'changed between two listings');
  };
}

function isLostTransfer(fetched: FetchedFile): boolean {
  return fetched.status === 'failed' && fetched.error.of === 'connection';
}

function givenUp(source: SourceSettings, last: ReconError): ReconError {
  return new ReconError(
    last.code,
    `${failuresInARow} files in a row could not be fetched from source ${source.name}; the rest was not tried: ${last.message}`,
    { cause: last },
  );
}
