import { RefusedLogins } from '../remote/refused-logins.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { sourceDefaults } from '../remote/source-settings.js';
import { archivePath } from '../intake/archive.js';
import {
  fetchSource,
  receiveLocalPath,
  withoutSidecars,
  type FetchDependencies,
  type FetchedFile,
} from '../intake/fetch-source.js';
import { loadFile } from '../intake/load-file.js';
import { readSidecar } from '../intake/fetch-sidecar.js';
import {
  isToLoad,
  knownRemoteFile,
  registerFile,
  rememberRemoteFile,
  type RegisteredFile,
} from '../intake/register-file.js';
import { isSourceFailure } from '../errors.js';
import { failPoint } from '../fail-point.js';
import { noRows, noteOf, type FileOutcome, type SourceOutcome } from '../outcome.js';
import { stopIfInterrupted } from './interruption.js';
import type { ActiveRun } from './open-run.js';
import type { RunContext } from './run-context.js';
import { timed } from './timed.js';

/** Act 1 for all files and sources of a run. One bad file or source never stops the others. */
export interface Intake {
  readonly files: FileOutcome[];
  readonly sources: SourceOutcome[];
}

/** How strictly a file is checked: by the settings of its source, or by the defaults when it is not configured. */
interface LoadSettings {
  readonly timezone: string;
  readonly maxRejectedShare: number;
}

/** Fetches from each source in turn and stores every file as it comes. */
export async function takeInSources(
  context: RunContext,
  run: ActiveRun,
  sources: readonly SourceSettings[],
  finished: ReadonlySet<string>,
): Promise<Intake> {
  const intake: Intake = { files: [], sources: [] };
  const refusedLogins = new RefusedLogins();
  for (const source of sources) {
    stopIfInterrupted(run.signal);
    const log = context.logger.child({ source: source.name });
    try {
      failPoint('list.before');
      for await (const fetched of fetchSource(
        source,
        fetchDependencies(context, run, source, refusedLogins),
      )) {
        const outcome = await takeInFile(context, run, source, fetched, finished);
        if (outcome !== undefined) intake.files.push(outcome);
        stopIfInterrupted(run.signal);
      }
      intake.sources.push({ name: source.name, status: 'read', error: null });
    } catch (thrown) {
      if (!isSourceFailure(thrown)) throw thrown;
      log.error({ code: thrown.code }, thrown.message);
      intake.sources.push({
        name: source.name,
        status: 'failed',
        error: { code: thrown.code, message: thrown.message },
      });
    }
  }
  return intake;
}

/** Takes local files that were named on the command line, instead of the sources. */
export async function takeInPaths(
  context: RunContext,
  run: ActiveRun,
  paths: readonly string[],
  finished: ReadonlySet<string>,
): Promise<Intake> {
  const files: FileOutcome[] = [];
  for (const path of withoutSidecars(paths)) {
    stopIfInterrupted(run.signal);
    const fetched = await timed(context.logger, 'receive', () =>
      receiveLocalPath(path, fetchDependencies(context, run, { name: 'local' }, new RefusedLogins())),
    );
    const outcome = await takeInFile(
      context,
      run,
      { ...sourceDefaults, name: 'local', timezone: context.timezone },
      fetched,
      finished,
    );
    if (outcome !== undefined) files.push(outcome);
  }
  return { files, sources: [] };
}

/** Tries again files whose bytes are in the archive: left over after a crash, or rejected in a range. */
export async function takeInArchived(
  context: RunContext,
  run: ActiveRun,
  files: readonly RegisteredFile[],
): Promise<FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  for (const file of files) {
    stopIfInterrupted(run.signal);
    const source = context.sources.find((candidate) => candidate.name === file.source);
    outcomes.push(
      await storeFile(
        context,
        run,
        file,
        source ?? { ...sourceDefaults, timezone: context.timezone },
        context.dataDirectory,
      ),
    );
  }
  return outcomes;
}

function fetchDependencies(
  context: RunContext,
  run: ActiveRun,
  source: { name: string },
  refusedLogins: RefusedLogins,
): FetchDependencies {
  return {
    dataDirectory: run.workDirectory,
    clock: context.clock,
    random: context.random,
    sleep: context.sleep,
    logger: context.logger,
    progress: context.progress,
    signal: run.signal,
    refusedLogins,
    knownFile: (file) => run.transact((tx) => knownRemoteFile(tx, source.name, file)),
  };
}

type TakenSource = LoadSettings & { readonly name: string };

/** Stores one fetched file, or returns why it was not stored. Undefined when this run already reports the same bytes. */
async function takeInFile(
  context: RunContext,
  run: ActiveRun,
  source: TakenSource,
  fetched: FetchedFile,
  finished: ReadonlySet<string>,
): Promise<FileOutcome | undefined> {
  if (fetched.status === 'known') {
    await disposeOfRemoteFile(context, run, source.name, fetched);
    return finished.has(fetched.sha256) ? undefined : duplicate(source.name, fetched);
  }
  if (fetched.status !== 'received') {
    const { code, message } = fetched.error;
    context.logger.warn({ source: source.name, file: fetched.name, code }, message);
    return {
      source: source.name,
      name: fetched.name,
      sha256: null,
      status: fetched.status,
      error: { code, message },
      rows: noRows,
    };
  }
  failPoint('register.before');
  const bytes = { ...fetched, source: source.name };
  const file = await run.transact((tx) => registerFile(tx, run.id, bytes, context.largeFileBytes));
  failPoint('register.after');
  const isNew = isToLoad(file);
  const outcome = isNew
    ? {
        ...(await storeFile(context, run, file, source, run.workDirectory)),
        source: source.name,
        name: fetched.name,
      }
    : duplicate(source.name, fetched);
  if (outcome.status === 'loaded' || outcome.status === 'duplicate')
    await disposeOfRemoteFile(context, run, source.name, fetched);
  if (fetched.stable && fetched.modifiedAtMs !== null && outcome.status !== 'failed') {
    const { remotePath, sizeBytes, modifiedAtMs, sha256 } = fetched;
    await run.transact((tx) =>
      rememberRemoteFile(tx, { source: source.name, path: remotePath, sizeBytes, modifiedAtMs, sha256 }),
    );
    failPoint('remember.after');
  }
  return !isNew && finished.has(fetched.sha256) ? undefined : outcome;
}

function duplicate(source: string, fetched: { name: string; sha256: string }): FileOutcome {
  return {
    source,
    name: fetched.name,
    sha256: fetched.sha256,
    status: 'duplicate',
    error: null,
    rows: noRows,
  };
}

async function storeFile(
  context: RunContext,
  run: ActiveRun,
  file: RegisteredFile,
  settings: LoadSettings,
  directory: string,
): Promise<FileOutcome> {
  const task = context.progress.begin(file.name, file.sizeBytes, 'bytes');
  try {
    failPoint('load.before');
    const archived = { ...file, path: archivePath(directory, file.sha256) };
    const { timezone, maxRejectedShare } = settings;
    const announced = file.sidecar === null ? null : await readSidecar(directory, file.sidecar);
    const options = {
      runId: run.id,
      timezone,
      maxRejectedShare,
      announced,
      signal: run.signal,
      progress: task,
    };
    const loaded = await timed(context.logger, 'load', () => loadFile(run.transact, archived, options));
    failPoint('load.commit.after');
    const log = {
      source: file.source,
      file: file.name,
      sha256: file.sha256,
      ...loaded.rows,
      ...(announced === null ? {} : { totals: announced.sidecar }),
    };
    if (loaded.error === null) context.logger.info(log, 'file loaded');
    else context.logger.warn({ ...log, code: loaded.error.code }, loaded.error.message);
    const note = noteOf(loaded.status, loaded.rows);
    return { source: file.source, name: file.name, sha256: file.sha256, ...loaded, ...note };
  } finally {
    task.end();
  }
}

/**
 * Moves or deletes the remote file as its source asks. A refusal is only a warning: the bytes are archived and known,
 * so the next run reports the file as a duplicate.
 */
async function disposeOfRemoteFile(
  context: RunContext,
  run: ActiveRun,
  source: string,
  fetched: { readonly name: string; dispose(): Promise<void> },
): Promise<void> {
  if (run.dryRun) return;
  try {
    failPoint('dispose.before');
    await fetched.dispose();
    failPoint('dispose.after');
  } catch (thrown) {
    if (!isSourceFailure(thrown)) throw thrown;
    context.logger.warn({ source, file: fetched.name, code: thrown.code }, thrown.message);
  }
}
