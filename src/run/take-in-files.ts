import { RefusedLogins } from '../remote/refused-logins.js';
import type { SourceSettings } from '../remote/source-settings.js';
import { sourceDefaults } from '../remote/source-settings.js';
import {
  fetchSource,
  localSidecar,
  receiveLocalPath,
  withoutSidecars,
  type FetchDependencies,
} from '../intake/fetch-source.js';
import { knownRemoteFile, type RegisteredFile } from '../intake/register-file.js';
import { isSourceFailure } from '../errors.js';
import { failPoint } from '../fail-point.js';
import type { FileOutcome, SourceOutcome } from '../outcome.js';
import { FilesInHand, type FileInHand } from './files-in-hand.js';
import { stopIfInterrupted } from './interruption.js';
import type { ActiveRun } from './open-run.js';
import type { RunContext } from './run-context.js';
import { storeFile } from './store-file.js';
import { takeInFile } from './take-in-file.js';
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
    const files = new FilesInHand();
    try {
      failPoint('list.before');
      // A source that moves or deletes its files does so before its connection is closed.
      const dependencies = {
        ...fetchDependencies(context, run, source, refusedLogins),
        allFetched: () => files.finishAll(),
      };
      for await (const fetched of fetchSource(source, dependencies))
        await takeIn(run, files, takeInFile(context, run, source, fetched, finished));
      intake.sources.push({ name: source.name, status: 'read', error: null });
    } catch (thrown) {
      if (!isSourceFailure(thrown)) throw thrown;
      await files.finishAll();
      const { code, message } = thrown;
      context.logger.error({ source: source.name, code }, message);
      intake.sources.push({ name: source.name, status: 'failed', error: { code, message } });
    } finally {
      await run.loads.drain();
    }
    intake.files.push(...files.outcomes);
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
  const files = new FilesInHand();
  const local = { ...sourceDefaults, name: 'local', timezone: context.timezone, totals: localSidecar };
  try {
    for (const path of withoutSidecars(paths)) {
      stopIfInterrupted(run.signal);
      const fetched = await timed(context.logger, run.stages, 'receive', () =>
        receiveLocalPath(path, fetchDependencies(context, run, local, new RefusedLogins())),
      );
      await takeIn(run, files, takeInFile(context, run, local, fetched, finished));
    }
    await files.finishAll();
  } finally {
    await run.loads.drain();
  }
  return { files: files.outcomes, sources: [] };
}

/** Returns when the next file may be fetched. */
async function takeIn(run: ActiveRun, files: FilesInHand, begun: Promise<FileInHand>): Promise<void> {
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
      outcomes.push(
        run.loads.start(file.sha256, (turn) =>
          storeFile(context, run, file, settings, context.dataDirectory, turn),
        ),
      );
    }
    return await Promise.all(outcomes);
  } finally {
    await run.loads.drain();
  }
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
