import { archivePath } from '../intake/archive.js';
import { readSidecar } from '../intake/fetch-sidecar.js';
import { markRejected } from '../intake/finish-file.js';
import { loadFile } from '../intake/load-file.js';
import type { RegisteredFile } from '../intake/register-file.js';
import type { Turn } from '../intake/turn.js';
import type { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import { noRows, noteOf, type FileOutcome } from '../outcome.js';
import type { ActiveRun } from './open-run.js';
import type { RunContext } from './run-context.js';
import { timed } from './timed.js';

/** How strictly a file is checked: by the settings of its source, or by the defaults when it is not configured. */
export interface LoadSettings {
  readonly timezone: string;
  readonly maxRejectedShare: number;
}

/** The same bytes were stored before. */
export function duplicate(source: string, fetched: { name: string; sha256: string }): FileOutcome {
  return {
    source,
    name: fetched.name,
    sha256: fetched.sha256,
    status: 'duplicate',
    error: null,
    rows: noRows,
  };
}

/** Loads a registered file from the archive, or rejects it. */
export async function storeFile(
  context: RunContext,
  run: ActiveRun,
  file: RegisteredFile,
  settings: LoadSettings,
  directory: string,
  turn: Turn,
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
      turn,
    };
    const loaded = await timed(context.logger, run.stages, 'load', () =>
      loadFile(run.transact, archived, options),
    );
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

/** Marks a packed file whose content cannot be taken; its bytes are in the archive. */
export async function rejectFile(
  context: RunContext,
  run: ActiveRun,
  file: RegisteredFile,
  reason: ReconError,
): Promise<FileOutcome> {
  await run.transact((tx) => markRejected(tx, run.id, file, noRows, null, reason));
  const { source, name, sha256 } = file;
  const { code, message } = reason;
  context.logger.warn({ source, file: name, sha256, code }, message);
  return { source, name, sha256, status: 'rejected', error: { code, message }, rows: noRows };
}
