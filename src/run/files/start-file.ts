import type { RegisteredFile } from '../../intake/register-file.js';
import type { FileOutcome } from '../../outcome.js';
import { loadedFileOutcomes } from './loaded-file-outcomes.js';
import type { ActiveRun } from '../open-run.js';
import type { RunContext } from '../run-context.js';
import { reportStored, storeFile, type StoreOptions } from './store-file.js';
import { tookTime } from '../timed.js';

/** A file that is being stored. The promise is in an object, because an async function would wait for it. */
export interface StartedFile {
  /** Rejects when the run cannot go on. */
  readonly stored: Promise<FileOutcome>;
}

/** Begins to store a file, for which there is room: here, or at a worker. */
export async function startFile(
  context: RunContext,
  run: ActiveRun,
  file: RegisteredFile,
  { settings, archive }: Omit<StoreOptions, 'turn'>,
): Promise<StartedFile> {
  const { shared, loads } = run;
  const offer = shared === null ? null : await shared.offer(file, settings);
  const stored = loads.start(file.sha256, (turn) =>
    shared === null || offer === null
      ? storeFile(context, run, file, { settings, archive, turn })
      : shared.store(
          offer,
          turn,
          (transact) => storeFile(context, { ...run, transact }, file, { settings, archive, turn }),
          (elapsedMs) => reportFromWorker(context, run, file, elapsedMs),
        ),
  );
  return { stored };
}

/** Logs and returns what a worker stored, as if it had been stored here. */
async function reportFromWorker(
  context: RunContext,
  run: ActiveRun,
  file: RegisteredFile,
  elapsedMs: number,
): Promise<FileOutcome> {
  const [stored] = await run.transact((tx) => loadedFileOutcomes(tx, [file.id]));
  if (stored === undefined) throw new Error(`a worker finished file ${file.id}, which does not exist`);
  tookTime(context.logger, run.stages, 'load', elapsedMs);
  return reportStored(context, file, stored);
}

/** Waits until no file is being stored, here or at a worker. Never throws. */
export async function endLoads({ loads, shared, downloads }: ActiveRun): Promise<void> {
  await loads.drain();
  await shared?.end();
  await downloads?.end();
}
