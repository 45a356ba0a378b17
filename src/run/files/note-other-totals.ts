import { differencesFrom } from '../../intake/announced-totals.js';
import { archiveOfTotals, readSidecar, type ReceivedSidecar } from '../../intake/fetch/fetch-sidecar.js';
import { findTotals } from '../../intake/find-totals.js';
import type { RegisteredFile } from '../../intake/register-file.js';
import { ReconError } from '../../errors.js';
import { showName } from '../../remote/file-names.js';
import type { FileOutcome } from '../../outcome.js';
import type { ActiveRun } from '../open-run.js';
import type { RunContext } from '../run-context.js';

/**
 * What a person should know about a stored file that came again with totals that were not compared with it: that it
 * differs from them. Nothing that is stored changes because of that (design 4.3).
 *
 * @param sidecar what announces totals this time
 * @throws ReconError DISK_FAILED, RUN_INTERRUPTED
 */
export async function noteOfOtherTotals(
  { context, run }: { readonly context: RunContext; readonly run: ActiveRun },
  file: RegisteredFile,
  sidecar: ReceivedSidecar | null,
): Promise<Pick<FileOutcome, 'note'>> {
  const isStored = file.status === 'loaded' || file.status === 'retired';
  if (!isStored || sidecar === null || sidecar.sha256 === file.sidecar?.sha256) return {};
  const totalsArchive = await archiveOfTotals([run.archive, context.archive], sidecar);
  const announced = await readSidecar(totalsArchive ?? run.archive, sidecar);
  const progress = context.progress.begin(file.name, file.sizeBytes, 'bytes');
  try {
    const { archive, signal } = run;
    const differences = differencesFrom(announced, await findTotals(file, { archive, signal, progress }));
    if (differences === null) return {};
    const note = `These bytes were loaded before, and differ from the totals in ${showName(sidecar.name)} that came with them this time: ${differences} What is stored was not changed: ask the sender which is right.`;
    context.logger.warn({ source: file.source, file: file.name, sha256: file.sha256 }, note);
    return { note };
  } catch (thrown) {
    // An older version loaded the file, and this one would reject it: its totals cannot be found.
    if (thrown instanceof ReconError && thrown.of === 'content') return {};
    throw thrown;
  } finally {
    progress.end();
  }
}
