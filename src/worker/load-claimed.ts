import { setTimeout as sleep } from 'node:timers/promises';
import type { Archive } from '../archive/archive.js';
import type { Transact } from '../db/fence.js';
import { ClaimLost, claimedTransactions } from '../intake/claims/file-claim.js';
import { placeInQueue, type ClaimedFile } from '../intake/claims/next-file.js';
import type { LoadedFile } from '../intake/load-file.js';
import { loadArchived } from '../intake/load-archived.js';
import type { Turn } from '../intake/commit-turn.js';
import { ReconError } from '../errors.js';
import { failPoint } from '../fail-point.js';
import { silentProgress } from '../progress.js';
import { notShared } from './shared-archive.js';
import type { WorkerSettings } from './worker-settings.js';

/** How often it is checked, while a file is copied, whether those before it are finished. */
const lookEveryMs = 50;

/**
 * Loads or rejects a claimed file, in the way that its run decided.
 *
 * @throws ClaimLost; ReconError ARCHIVE_NOT_SHARED, ARCHIVE_KEY_MISSING; as `loadArchived`. Nothing of the file is
 * stored then
 */
export async function loadClaimed(
  { database: { sql }, archive }: Pick<WorkerSettings, 'database' | 'archive'>,
  transact: Transact,
  { claim, file, timezone, maxRejectedShare }: ClaimedFile,
  signal: AbortSignal,
): Promise<LoadedFile> {
  failPoint('worker.claimed');
  await requireBytes(archive, file.name, file.sha256);
  if (file.sidecar !== null) await requireBytes(archive, file.sidecar.name, file.sidecar.sha256);
  const turn: Turn = { come: () => untilTurn(() => placeInQueue(sql, claim), signal) };
  const loaded = await loadArchived(claimedTransactions(transact, claim), file, {
    runId: claim.runId,
    archive,
    totalsArchive: archive,
    settings: { timezone, maxRejectedShare },
    signal,
    progress: silentProgress.begin(file.name, file.sizeBytes, 'bytes'),
    turn,
  });
  failPoint('worker.loaded');
  return loaded;
}

async function requireBytes(archive: Archive, name: string, sha256: string): Promise<void> {
  if (!(await archive.isIntact(sha256))) throw notShared(archive, name, sha256);
}

async function untilTurn(look: () => ReturnType<typeof placeInQueue>, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) throw reasonOf(signal);
    const place = await look();
    if (place === 'has come') return;
    if (place === 'is lost') throw new ClaimLost();
    await sleep(lookEveryMs);
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof ClaimLost || reason instanceof ReconError
    ? reason
    : new ReconError('RUN_INTERRUPTED', 'The worker was stopped; the file it was loading is not stored.');
}
