import type { Archive } from '../../archive/archive.js';
import type { Tx } from '../../db/client.js';
import { archiveOfTotals } from '../../intake/fetch/fetch-sidecar.js';
import { markRejected } from '../../intake/finish-file.js';
import { loadArchived, type LoadSettings } from '../../intake/load-archived.js';
import type { RegisteredFile } from '../../intake/register-file.js';
import type { Turn } from '../../intake/commit-turn.js';
import type { ReconError } from '../../errors.js';
import { failPoint } from '../../fail-point.js';
import { noRows, noteOf, type FileOutcome } from '../../outcome.js';
import type { RunId } from '../../values/ids.js';
import type { ActiveRun } from '../open-run.js';
import type { RunContext } from '../run-context.js';
import { timed } from '../timed.js';

/**
 * The outcome of a file whose bytes were received before.
 *
 * @param rejectedFor the error code with which they were rejected then
 */
export function duplicate(
  source: string,
  { name, sha256 }: { name: string; sha256: string },
  rejectedFor: string | null = null,
): FileOutcome {
  const known = { source, name, sha256, status: 'duplicate', error: null, rows: noRows } as const;
  if (rejectedFor === null) return known;
  const note = `These bytes were rejected before (${rejectedFor}), and still are: \`recon files --status rejected --json\` has the reason. Give recon the corrected file.`;
  return { ...known, note };
}

/** How a file is loaded, and when it may be finished. */
export interface StoreOptions {
  readonly settings: LoadSettings;
  /** It has the bytes of the file. */
  readonly archive: Archive;
  readonly turn: Turn;
}

/** Loads a registered file from the archive, or rejects it. */
export async function storeFile(
  context: RunContext,
  run: Pick<ActiveRun, 'id' | 'transact' | 'signal' | 'stages'>,
  file: RegisteredFile,
  { settings, archive, turn }: StoreOptions,
): Promise<FileOutcome> {
  const progress = context.progress.begin(file.name, file.sizeBytes, 'bytes');
  const { id: runId, signal } = run;
  try {
    const ofTotals = await archiveOfTotals([archive, context.archive], file.sidecar);
    const loaded = await timed(context.logger, run.stages, 'load', () =>
      loadArchived(run.transact, file, {
        runId,
        archive,
        totalsArchive: ofTotals ?? archive,
        settings,
        signal,
        progress,
        turn,
      }),
    );
    failPoint('load.commit.after');
    return reportStored(context, file, loaded);
  } finally {
    progress.end();
  }
}

/** Logs what became of a file, and returns that as its outcome. */
export function reportStored(
  context: Pick<RunContext, 'logger'>,
  { source, name, sha256, sidecar }: RegisteredFile,
  stored: Pick<FileOutcome, 'rows' | 'error'> & { readonly status: 'loaded' | 'rejected' },
): FileOutcome {
  const { status, rows, error } = stored;
  const totals = sidecar === null ? {} : { totals: sidecar.name };
  const log = { source, file: name, sha256, ...rows, ...totals };
  if (error === null) context.logger.info(log, 'file loaded');
  else context.logger.error({ ...log, code: error.code }, error.message);
  return { source, name, sha256, status, rows, error, ...noteOf(status, rows) };
}

/** Marks a packed file whose content cannot be taken; its bytes are in the archive. */
export function markUnpackable(
  tx: Tx,
  runId: RunId,
  file: RegisteredFile,
  reason: ReconError,
): Promise<void> {
  return markRejected(tx, runId, file, { rows: noRows, dates: null, reason });
}

/** Logs why a packed file was rejected, and returns that as its outcome. */
export function reportUnpackable(
  { logger }: Pick<RunContext, 'logger'>,
  { source, name, sha256 }: RegisteredFile,
  { code, message }: ReconError,
): FileOutcome {
  logger.error({ source, file: name, sha256, code }, message);
  return { source, name, sha256, status: 'rejected', error: { code, message }, rows: noRows };
}
