import type { Archive } from '../archive/archive.js';
import { stopIfAborted } from '../interruption.js';
import type { ProgressTask } from '../progress.js';
import { readRows } from '../settlement-file/read-rows.js';
import { archivedBytes } from './archived-bytes.js';
import type { FoundTotals } from './announced-totals.js';
import { RecordEncoder } from './encode-records.js';
import type { RegisteredFile } from './register-file.js';
import { RowTally } from './tally-rows.js';

/**
 * Reads a file that is stored already, and adds up its rows as when it was loaded.
 *
 * @param dependencies `archive` has the bytes of the file; the signal ends the reading between two blocks of rows
 * @throws ReconError DISK_FAILED, RUN_INTERRUPTED
 */
export async function findTotals(
  file: RegisteredFile,
  dependencies: { readonly archive: Archive; readonly signal: AbortSignal; readonly progress: ProgressTask },
): Promise<FoundTotals> {
  const tally = new RowTally();
  const encoder = new RecordEncoder(file.id, () => 1);
  const bytes = dependencies.archive.bytes(file.sha256);
  for await (const block of readRows(archivedBytes({ ...file, bytes }, dependencies.progress))) {
    stopIfAborted(dependencies.signal, 'The run was interrupted.');
    for (const row of block.rows) {
      const result = encoder.add(row);
      if ('amountMinor' in result) tally.addAccepted(result);
      else tally.addRejected(row.line, result.cells, result.issues);
      // What would be stored is not needed.
      if (encoder.isFull) encoder.take();
    }
  }
  return tally.found;
}
