import type { Archive } from '../archive/archive.js';
import type { Transact } from '../db/fence.js';
import { failPoint } from '../fail-point.js';
import type { ProgressTask } from '../progress.js';
import type { RunId } from '../values/ids.js';
import { readSidecar } from './fetch/fetch-sidecar.js';
import { loadFile, type LoadedFile } from './load-file.js';
import type { RegisteredFile } from './register-file.js';
import type { Turn } from './commit-turn.js';

/** How strictly a file is checked: by the settings of its source, or by the defaults when it is not configured. */
export interface LoadSettings {
  /** IANA zone in which a TxRequestTime without offset is read. */
  readonly timezone: string;
  /** 0..1, see `LoadOptions`. */
  readonly maxRejectedShare: number;
}

interface ArchivedLoad {
  readonly runId: RunId;
  /** It has the bytes of the file. */
  readonly archive: Archive;
  /** It has the announced totals of the file, if there are any. */
  readonly totalsArchive: Archive;
  readonly settings: LoadSettings;
  readonly signal: AbortSignal;
  readonly progress: ProgressTask;
  readonly turn: Turn;
}

/**
 * Loads or rejects a registered file whose bytes are in the archive. Both the run and workers call this.
 *
 * @throws as `loadFile`; FILE_TOTALS_INVALID
 */
export async function loadArchived(
  transact: Transact,
  file: RegisteredFile,
  { runId, archive, totalsArchive, settings, signal, progress, turn }: ArchivedLoad,
): Promise<LoadedFile> {
  failPoint('load.before');
  const archived = { ...file, bytes: archive.bytes(file.sha256) };
  const announced = file.sidecar === null ? null : await readSidecar(totalsArchive, file.sidecar);
  const { timezone, maxRejectedShare } = settings;
  const options = { runId, timezone, maxRejectedShare, announced, signal, progress, turn };
  return loadFile(transact, archived, options);
}
