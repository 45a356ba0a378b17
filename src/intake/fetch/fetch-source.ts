import { ReconError, isFetchFailure } from '../../errors.js';
import { failPoint } from '../../fail-point.js';
import type { Dispose, FetchDependencies, FetchedFile, FileSeen, KnownRemoteFile } from './fetched-file.js';
import { describeFiles, isDescribed, type Descriptions } from './describe-files.js';
import { refuseYoung, sensibleTime } from './detect-change.js';
import { fetchSidecar, mayStillWait, sidecarNames, type FoundSidecar } from './fetch-sidecar.js';
import { receiveFile, refuseTooLarge, vanishedFile, type ReceivedBytes } from './receive-file.js';
import { showName } from '../../remote/file-names.js';
import type { RemoteFile } from '../../remote/remote-folder.js';
import type { SourceSettings } from '../../remote/source-settings.js';
import { disposeOfRemoteFile } from './dispose-remote-file.js';
import { failuresInARow, filesAhead } from './fetch-limits.js';
import { inOrder } from './in-order.js';
import {
  isChosen,
  judgeEntries,
  logIgnored,
  regularFiles,
  unsafeName,
  type Entry,
} from './listed-entries.js';
import { lookAgainOnce, type SecondLook } from './second-look.js';
import { totalsWithoutFile } from './totals-without-file.js';
import { SourceSessions } from './source-sessions.js';

/**
 * Fetches the files of a source, several at once, and returns them in the order of their names. A failed file is
 * reported and the others continue; a lost connection is opened again. Files that are too young or still changing are
 * deferred.
 *
 * @throws ReconError SOURCE_* when the source itself cannot be reached, entered or listed, or stops sending files;
 *   DISK_*; RUN_INTERRUPTED or the reason of the aborted signal.
 */
export async function* fetchSource(
  source: SourceSettings,
  dependencies: FetchDependencies,
): AsyncGenerator<FetchedFile> {
  const sessions = new SourceSessions(source, dependencies);
  for (const warning of sessions.warnings) dependencies.logger.warn({ source: source.name }, warning);
  try {
    const { chosen, fetching } = await lookAtSource(sessions, source, dependencies);
    yield* untilGivenUp(source, fetchInOrder(fetching, chosen));
    await dependencies.allFetched?.();
  } finally {
    await sessions.end();
  }
}

/** Lists the source, and finds out which of its files are chosen and which of these are known. */
async function lookAtSource(
  sessions: SourceSessions,
  source: SourceSettings,
  dependencies: FetchDependencies,
): Promise<{ readonly chosen: readonly Entry[]; readonly fetching: Fetching }> {
  const listed = await sessions.do((folder) => folder.list());
  const entries = judgeEntries(listed, source);
  failPoint('list.after');
  logIgnored(source, entries, dependencies.logger);
  if (source.totals !== null) {
    const alone = totalsWithoutFile(listed, source, dependencies.clock());
    if (alone.length > 0) dependencies.totalsWithoutFile?.(alone);
  }
  const chosen = entries.filter(isChosen);
  const files = chosen.flatMap(({ file, verdict }) => (verdict === 'take' ? [file] : []));
  const descriptions = await describeFiles(sessions, source, files);
  const seenFiles = files.flatMap((file) => seenAs(descriptions.get(file.path) ?? file));
  const fetching = {
    sessions,
    source,
    dependencies,
    secondLook: lookAgainOnce(sessions, dependencies),
    listed: regularFiles(listed),
    descriptions,
    known: await dependencies.knownFiles(seenFiles),
  };
  return { chosen, fetching };
}

/** Fetches several files at once, here or at workers, and returns them in the order of the listing. */
async function* fetchInOrder(fetching: Fetching, chosen: readonly Entry[]): AsyncGenerator<FetchedFile> {
  const { sessions } = fetching;
  const { shared } = fetching.dependencies;
  await shared?.look();
  const ahead = {
    atOnce: () => (shared?.isShared() === true ? filesAhead : sessions.most),
    begun: filesAhead,
  };
  const stop = () => {
    shared?.giveUp();
    return sessions.end();
  };
  yield* inOrder(chosen, (entry) => fetchEntry(fetching, entry), ahead, stop);
}

/** @throws ReconError of the last file if so many in a row could not be transferred */
async function* untilGivenUp(
  source: SourceSettings,
  files: AsyncIterable<FetchedFile>,
): AsyncGenerator<FetchedFile> {
  let failures = 0;
  for await (const fetched of files) {
    yield fetched;
    failures = isLostTransfer(fetched) ? failures + 1 : 0;
    if (failures === failuresInARow && 'error' in fetched) throw givenUp(source, fetched.error);
  }
}

type Disposable = Parameters<typeof disposeOfRemoteFile>[1];

/** What the files of one listing have in common. */
interface Fetching {
  readonly sessions: SourceSessions;
  readonly source: SourceSettings;
  readonly dependencies: FetchDependencies;
  readonly secondLook: SecondLook;
  readonly listed: ReadonlyMap<string, RemoteFile>;
  /** Descriptions of the files for which the listing lacks size or time. */
  readonly descriptions: Descriptions;
  /** The files that are known with the size and time that was listed or described, by path. */
  readonly known: ReadonlyMap<string, KnownRemoteFile>;
}

const seenAs = (described: RemoteFile | ReconError) =>
  described instanceof ReconError ? [] : seen(described);

/** Empty if the server did not report all that identifies a file. */
function seen({ path, sizeBytes, modifiedAtMs }: RemoteFile): FileSeen[] {
  return sizeBytes === null || modifiedAtMs === null ? [] : [{ path, sizeBytes, modifiedAtMs }];
}

async function fetchEntry(fetching: Fetching, { file, verdict }: Entry): Promise<FetchedFile> {
  const { sessions, source, dependencies } = fetching;
  try {
    if (verdict === 'unsafe') throw unsafeName(file);
    return await fetchFile(fetching, file);
  } catch (thrown) {
    if (sessions.couldNotOpen(thrown) || !isFetchFailure(thrown)) throw thrown;
    const waits =
      thrown.code === 'FILE_CHANGING' ||
      (thrown.code === 'FILE_TOTALS_MISSING' &&
        mayStillWait(source.totals, asDescribed(fetching, file), dependencies.clock()));
    return { status: waits ? 'deferred' : 'failed', name: showName(file.name), error: thrown };
  }
}

/** The file with the time that its server stated, in the listing or when it was asked for this file. */
function asDescribed({ descriptions }: Fetching, file: RemoteFile): RemoteFile {
  const described = descriptions.get(file.path);
  return described === undefined || described instanceof ReconError ? file : described;
}

async function fetchFile(fetching: Fetching, file: RemoteFile): Promise<FetchedFile> {
  const { source, dependencies, listed } = fetching;
  const looked = await lookAtListed(fetching, file, source.maximumSizeBytes);
  const before = await knownAs(fetching, file, looked);
  if (before !== undefined) {
    const { sizeBytes, modifiedAtMs } = looked;
    const known = { file, sha256: before.sha256, sizeBytes, modifiedAtMs };
    const dispose = disposeLater(fetching, [...leftSidecar(fetching, known), known]);
    return { status: 'known', name: file.name, ...before, dispose };
  }
  const sidecar =
    source.totals === null
      ? null
      : await fetchSidecar(source.totals, file, {
          archive: dependencies.archive,
          listed,
          receive: async (each) =>
            receiveUnlessYoung(fetching, each, await lookAtListed(fetching, each, source.maximumSizeBytes)),
        });
  const received = await receiveUnlessYoung(fetching, file, looked);
  return {
    status: 'received',
    name: file.name,
    remotePath: file.path,
    ...received,
    sidecar: sidecar === null ? null : { name: sidecar.name, sha256: sidecar.sha256 },
    receivedAtMs: dependencies.clock(),
    dispose: disposeLater(fetching, [...ofSidecar(sidecar), { file, ...received }]),
  };
}

/** A file that could not be described with the others was described alone, and is looked up alone. */
async function knownAs(
  { known, dependencies, descriptions }: Fetching,
  file: RemoteFile,
  looked: RemoteFile,
): Promise<KnownRemoteFile | undefined> {
  const { path } = file;
  if (looked === file || looked === descriptions.get(path)) return known.get(path);
  return (await dependencies.knownFiles(seen({ ...looked, path }))).get(path);
}

/** The sidecar of a known file: a run that ended after it loaded the file may have left both at the source. */
function leftSidecar({ source, listed }: Fetching, known: Disposable): Disposable[] {
  const file =
    source.totals === null
      ? undefined
      : sidecarNames(source.totals, known.file.name).flatMap((name) => listed.get(name) ?? [])[0];
  return file === undefined
    ? []
    : [{ ...known, file, sizeBytes: file.sizeBytes, modifiedAtMs: file.modifiedAtMs }];
}

/** The sidecar is disposed of first: a file that is left at the source is known, and needs none. */
function ofSidecar(sidecar: FoundSidecar | null): Disposable[] {
  return sidecar === null ? [] : [{ file: sidecar.file, ...sidecar.received }];
}

/** Some servers omit attributes in the listing but return them for a single file. */
async function lookAtListed(
  { sessions, descriptions }: Fetching,
  file: RemoteFile,
  maximumSizeBytes: number,
): Promise<RemoteFile> {
  refuseTooLarge(file, maximumSizeBytes);
  const described = isDescribed(file) ? file : descriptions.get(file.path);
  if (described instanceof ReconError) throw described;
  const looked = described ?? (await sessions.do((folder) => folder.stat(file)));
  if (looked === undefined) throw vanishedFile(file);
  return looked;
}

/**
 * Receives a file here, or has a worker receive it.
 *
 * @throws ReconError FILE_CHANGING when it is young
 */
async function receiveUnlessYoung(
  { sessions, source, secondLook, dependencies }: Fetching,
  file: RemoteFile,
  looked: RemoteFile,
): Promise<ReceivedBytes> {
  const minimumAgeMs = source.minimumAgeSeconds * 1000;
  refuseYoung(looked, dependencies.clock(), minimumAgeMs);
  if (minimumAgeMs > 0 && sensibleTime(looked.modifiedAtMs, dependencies.clock()) === null)
    await secondLook(file);
  const { maximumSizeBytes } = source;
  const here = () =>
    sessions.do(async (folder) => {
      const progress = dependencies.progress.begin(
        `fetching ${showName(file.name)}`,
        looked.sizeBytes,
        'bytes',
      );
      try {
        const { archive, clock } = dependencies;
        return await receiveFile(folder, file, { archive, maximumSizeBytes, minimumAgeMs, clock, progress });
      } finally {
        progress.end();
      }
    });
  return dependencies.shared === undefined
    ? here()
    : dependencies.shared.receive({ file, maximumSizeBytes, minimumAgeMs }, here);
}

function disposeLater({ sessions, source, dependencies }: Fetching, fetched: readonly Disposable[]): Dispose {
  return async () => {
    const left: string[] = [];
    if (source.afterSuccess.action === 'none') return left;
    for (const each of fetched) {
      const why = await sessions.do((folder) => disposeOfRemoteFile(folder, each, source.afterSuccess));
      if (why === undefined) continue;
      dependencies.logger.warn({ source: source.name }, why);
      left.push(why);
    }
    return left;
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
