import { RefusedLogins } from '../remote/refused-logins.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { sourceDefaults } from '../remote/source-settings.js';
import {
  fetchSource,
  localSidecar,
  receiveLocalPath,
  withoutSidecars,
  type FetchDependencies,
  type FetchedFile,
} from '../intake/fetch-source.js';
import {
  mayStillGetTotals,
  openReceived,
  type Arrival,
  type OpeningSettings,
} from '../intake/open-received.js';
import { filesInside, rememberPacked } from '../intake/packed/packed-files.js';
import {
  isToLoad,
  knownRemoteFile,
  registerFile,
  rememberRemoteFile,
  type RegisteredFile,
} from '../intake/register-file.js';
import { isFetchFailure, isSourceFailure, type ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import { noRows, type FileOutcome, type SourceOutcome } from '../outcome.js';
import { stopIfInterrupted } from './interruption.js';
import type { ActiveRun } from './open-run.js';
import type { RunContext } from './run-context.js';
import { duplicate, rejectFile, storeFile, type LoadSettings } from './store-file.js';
import { timed } from './timed.js';

/** Act 1 for all files and sources of a run. One bad file or source never stops the others. */
export interface Intake {
  readonly files: FileOutcome[];
  readonly sources: SourceOutcome[];
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
        intake.files.push(...(await takeInFile(context, run, source, fetched, finished)));
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
    const fetched = await timed(context.logger, run.stages, 'receive', () =>
      receiveLocalPath(path, fetchDependencies(context, run, { name: 'local' }, new RefusedLogins())),
    );
    const local = { ...sourceDefaults, name: 'local', timezone: context.timezone, totals: localSidecar };
    files.push(...(await takeInFile(context, run, local, fetched, finished)));
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

type TakenSource = LoadSettings & OpeningSettings;

type Received = Extract<FetchedFile, { status: 'received' }>;

/** Stores what one fetched file brought, or returns why it was not stored. Without the files that this run already reports. */
async function takeInFile(
  context: RunContext,
  run: ActiveRun,
  source: TakenSource,
  fetched: FetchedFile,
  finished: ReadonlySet<string>,
): Promise<FileOutcome[]> {
  if (fetched.status === 'received') return takeInReceived(context, run, source, fetched, finished);
  if (fetched.status !== 'known') return [notStored(context, source, fetched, fetched.status, fetched.error)];
  await disposeOfRemoteFile(context, run, source.name, fetched);
  const inside = await run.transact((tx) => filesInside(tx, fetched.sha256));
  const isReported = [fetched.sha256, ...inside].some((sha256) => finished.has(sha256));
  return isReported ? [] : [duplicate(source.name, fetched)];
}

async function takeInReceived(
  context: RunContext,
  run: ActiveRun,
  source: TakenSource,
  fetched: Received,
  finished: ReadonlySet<string>,
): Promise<FileOutcome[]> {
  const arrival = await open(context, run, source, fetched);
  if ('status' in arrival) return [arrival];
  failPoint('register.before');
  const registered = await run.transact(async (tx) => {
    const files: { file: RegisteredFile; name: string }[] = [];
    for (const bytes of arrival.files) {
      const file = await registerFile(tx, run.id, bytes, context.largeFileBytes);
      files.push({ file, name: bytes.name });
    }
    const { packed } = arrival;
    if (packed !== null)
      await rememberPacked(tx, { name: packed.name, sha256: fetched.sha256 }, packed.files);
    return files;
  });
  failPoint('register.after');
  const outcomes: FileOutcome[] = [];
  for (const { file, name } of registered) {
    stopIfInterrupted(run.signal);
    const isNew = isToLoad(file);
    const stored = isNew
      ? arrival.rejected === null
        ? await storeFile(context, run, file, source, run.workDirectory)
        : await rejectFile(context, run, file, arrival.rejected)
      : duplicate(source.name, { name, sha256: file.sha256 });
    const packedIn = arrival.packed === null ? {} : { packedIn: arrival.packed.name };
    if (isNew || !finished.has(file.sha256))
      outcomes.push({ ...stored, source: source.name, name, ...packedIn });
  }
  await finishRemoteFile(context, run, source, fetched, outcomes);
  return outcomes;
}

/** What the received bytes brought; an outcome if nothing of them can be stored. */
async function open(
  context: RunContext,
  run: ActiveRun,
  source: TakenSource,
  fetched: Received,
): Promise<Arrival | FileOutcome> {
  try {
    return await openReceived(fetched, source, {
      dataDirectory: run.workDirectory,
      stopIfInterrupted: () => stopIfInterrupted(run.signal),
    });
  } catch (thrown) {
    if (!isFetchFailure(thrown)) throw thrown;
    const waits = mayStillGetTotals(thrown, fetched, source, context.clock());
    return notStored(context, source, fetched, waits ? 'deferred' : 'failed', thrown);
  }
}

/** Disposes of a remote file of which everything is stored, and remembers it, so that the next listing identifies it. */
async function finishRemoteFile(
  context: RunContext,
  run: ActiveRun,
  source: TakenSource,
  fetched: Received,
  outcomes: readonly FileOutcome[],
): Promise<void> {
  if (outcomes.every(({ status }) => status === 'loaded' || status === 'duplicate'))
    await disposeOfRemoteFile(context, run, source.name, fetched);
  if (!fetched.stable || fetched.modifiedAtMs === null) return;
  if (outcomes.some(({ status }) => status === 'failed')) return;
  const { remotePath, sizeBytes, modifiedAtMs, sha256 } = fetched;
  await run.transact((tx) =>
    rememberRemoteFile(tx, { source: source.name, path: remotePath, sizeBytes, modifiedAtMs, sha256 }),
  );
  failPoint('remember.after');
}

function notStored(
  context: RunContext,
  source: { readonly name: string },
  { name }: { readonly name: string },
  status: 'deferred' | 'failed',
  { code, message }: ReconError,
): FileOutcome {
  context.logger.warn({ source: source.name, file: name, code }, message);
  return { source: source.name, name, sha256: null, status, error: { code, message }, rows: noRows };
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
