import { RefusedLogins } from '../../remote/refused-logins.js';
import { storedName } from '../../remote/file-names.js';
import type { SourceSettings } from '../../remote/source-settings.js';
import { sourceDefaults } from '../../remote/source-settings.js';
import { fetchSource } from '../../intake/fetch/fetch-source.js';
import type { FetchDependencies, FileSeen, KnownRemoteFile } from '../../intake/fetch/fetched-file.js';
import { localSidecar, receiveLocalPath, withoutSidecars } from '../../intake/fetch/receive-local-path.js';
import { knownRemoteFiles, storedTotals, type RegisteredFile } from '../../intake/register-file.js';
import { totalsWithoutFileNotice } from '../../intake/fetch/totals-without-file.js';
import { isSourceFailure } from '../../errors.js';
import { failPoint } from '../../fail-point.js';
import type { FileOutcome, SourceOutcome } from '../../outcome.js';
import { serially } from '../../serially.js';
import { FilesBeingStored, type FileBeingStored } from './files-being-stored.js';
import { leftFilesNotices } from './left-at-source.js';
import type { ActiveRun } from '../open-run.js';
import type { RunContext } from '../run-context.js';
import { stopIfInterrupted } from '../run-interruption.js';
import { endLoads, startFile } from './start-file.js';
import type { SourceOfRun } from './source-of-run.js';
import { takeInFile } from './take-in-file.js';
import { timed } from '../timed.js';

/** What a run took in from its sources or files. One bad file or source never stops the others. */
export interface Intake {
  readonly files: FileOutcome[];
  readonly sources: SourceOutcome[];
  /** Sentences about the sources, for a person. */
  readonly notices: readonly string[];
}

/**
 * Fetches from each source in turn and stores every file in the order of the listing. The next source is listed while
 * files are still being loaded, except after a source that moves or deletes its files: they may be in the folder of the
 * next.
 */
export async function takeInSources(
  context: RunContext,
  run: ActiveRun,
  sources: readonly SourceSettings[],
  alreadyReported: ReadonlySet<string>,
): Promise<Intake> {
  const outcomes: SourceOutcome[] = [];
  const refusedLogins = new RefusedLogins();
  const files = new FilesBeingStored();
  const notices: string[] = [];
  try {
    for (const source of sources) {
      stopIfInterrupted(run.signal);
      const totalsWithoutFile: string[] = [];
      const from = { context, run, source, alreadyReported, totalsWithoutFile };
      outcomes.push(await takeInSource(from, files, refusedLogins));
      notices.push(...(await noticesOfTotals(run, source, totalsWithoutFile)));
    }
    await files.finishAll();
  } finally {
    await endLoads(run);
  }
  return { files: files.outcomes, sources: outcomes, notices: [...notices, ...leftFilesNotices(files.left)] };
}

/** Totals whose file was stored belong to it: its sender may have removed the file alone. */
async function noticesOfTotals(
  run: ActiveRun,
  { name }: SourceSettings,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const listed = names.map(storedName);
  const stored = await run.transact((tx) => storedTotals(tx, name, listed));
  return totalsWithoutFileNotice(
    name,
    listed.filter((each) => !stored.has(each)),
  );
}

/**
 * @param from `totalsWithoutFile` gets the names of sidecars whose settlement file is not at the source
 * @param files are those of all sources
 */
async function takeInSource(
  from: SourceOfRun & { readonly source: SourceSettings; readonly totalsWithoutFile: string[] },
  files: FilesBeingStored,
  refusedLogins: RefusedLogins,
): Promise<SourceOutcome> {
  const { context, run, source } = from;
  const changesFolder = source.afterSuccess.action !== 'none';
  const dependencies = {
    ...fetchDependencies(context, run, source, refusedLogins),
    shared: run.downloads?.of(source),
    totalsWithoutFile: (names: readonly string[]) => void from.totalsWithoutFile.push(...names),
    // Needs the connection, which is then closed.
    allFetched: async () => {
      if (changesFolder) await files.finishAll();
    },
  };
  try {
    failPoint('list.before');
    for await (const fetched of fetchSource(source, dependencies))
      await addInOrder(run, files, takeInFile(from, fetched));
    return { name: source.name, status: 'read', error: null };
  } catch (thrown) {
    if (!isSourceFailure(thrown)) throw thrown;
    const { code, message } = thrown;
    const reported = run.loads.inTurn(() => {
      context.logger.error({ source: source.name, code }, message);
    });
    if (changesFolder) await Promise.all([files.finishAll(), reported]);
    return { name: source.name, status: 'failed', error: { code, message } };
  }
}

/** Takes local files that were named on the command line, instead of the sources. */
export async function takeInPaths(
  context: RunContext,
  run: ActiveRun,
  paths: readonly string[],
  alreadyReported: ReadonlySet<string>,
): Promise<Intake> {
  const files = new FilesBeingStored();
  const local = { ...sourceDefaults, name: 'local', timezone: context.timezone, totals: localSidecar };
  try {
    for (const path of withoutSidecars(paths)) {
      stopIfInterrupted(run.signal);
      const fetched = await timed(context.logger, run.stages, 'receive', () =>
        receiveLocalPath(path, fetchDependencies(context, run, local, new RefusedLogins())),
      );
      await addInOrder(run, files, takeInFile({ context, run, source: local, alreadyReported }, fetched));
    }
    await files.finishAll();
  } finally {
    await endLoads(run);
  }
  return { files: files.outcomes, sources: [], notices: [] };
}

/** Adds a file whose storing has begun, and returns when the next file may be fetched. */
async function addInOrder(
  run: ActiveRun,
  files: FilesBeingStored,
  begun: Promise<FileBeingStored>,
): Promise<void> {
  files.add(await begun);
  await run.loads.room();
  await files.finishStored();
  stopIfInterrupted(run.signal);
}

/** Tries again files whose bytes are in the archive: left over after a crash, or rejected in a range. */
export async function takeInArchived(
  context: RunContext,
  run: ActiveRun,
  files: readonly RegisteredFile[],
): Promise<FileOutcome[]> {
  const outcomes: Promise<FileOutcome>[] = [];
  try {
    for (const file of files) {
      await run.loads.room();
      stopIfInterrupted(run.signal);
      const source = context.sources.find((candidate) => candidate.name === file.source);
      const settings = source ?? { ...sourceDefaults, timezone: context.timezone };
      const { stored } = await startFile(context, run, file, { settings, archive: context.archive });
      outcomes.push(stored);
    }
    return await Promise.all(outcomes);
  } finally {
    await endLoads(run);
  }
}

/**
 * The outcomes of the files of a run, each file once: one that was tried from the archive, and then fetched with other
 * announced totals and tried again, has the outcome of its last try.
 */
export function lastOutcomes(ofArchived: readonly FileOutcome[], { files }: Intake): FileOutcome[] {
  const triedAgain = new Set(
    files.filter(({ status }) => status !== 'duplicate').map(({ sha256 }) => sha256),
  );
  return [...ofArchived.filter(({ sha256 }) => !triedAgain.has(sha256)), ...files];
}

function fetchDependencies(
  context: RunContext,
  run: ActiveRun,
  source: { name: string },
  refusedLogins: RefusedLogins,
): FetchDependencies {
  return {
    archive: run.archive,
    clock: context.clock,
    random: context.random,
    sleep: context.sleep,
    logger: context.logger,
    progress: context.progress,
    signal: run.signal,
    refusedLogins,
    // Several files may be looked up at once, and each transaction would open a connection.
    knownFiles: serially((files) => knownFiles(run, source.name, files)),
  };
}

/** How many files one statement looks up: enough to be efficient, few enough for a quick interruption. */
const filesPerStatement = 5_000;

async function knownFiles(
  run: ActiveRun,
  source: string,
  files: readonly FileSeen[],
): Promise<ReadonlyMap<string, KnownRemoteFile>> {
  const known = new Map<string, KnownRemoteFile>();
  for (let from = 0; from < files.length; from += filesPerStatement) {
    const some = files.slice(from, from + filesPerStatement);
    for (const [path, file] of await run.transact((tx) => knownRemoteFiles(tx, source, some)))
      known.set(path, file);
  }
  return known;
}
