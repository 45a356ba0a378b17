import type { Archive } from '../../archive/archive.js';
import { allDone } from '../../all-done.js';
import type { Tx } from '../../db/client.js';
import { isDivided } from '../../db/shards/is-divided.js';
import type { RunScope } from '../../db/run-scope.js';
import type { Progress } from '../../progress.js';
import type { FileId } from '../../values/ids.js';
import type { FileTotals } from '../totals/file-totals.js';
import type { TableTotal } from '../folder/manifest.js';
import {
  checkReconciledFile,
  reconcilableFiles,
  writeReconciledFile,
  type WrittenReconciledFile,
} from './reconciled-files.js';
import { groupsOf } from './file-groups.js';
import type { ReportFolder } from '../folder/report-folder.js';

/** What the reconciled files of a report are made from. */
export interface ReconciledRequest {
  readonly scope: RunScope;
  readonly archive: Archive;
  readonly progress: Progress;
  readonly stopIfAborted: () => void;
  /** The totals of a file's stored rows in scope, which the database may still be adding up. */
  readonly stored: (file: FileId) => Promise<FileTotals | undefined>;
}

/** Writes the reconciled files of a scope; {@link checkReconciled} then compares them with the stored totals. */
export async function writeReconciled(
  tx: Tx,
  folder: ReportFolder,
  { scope, archive, progress, stopIfAborted, stored }: ReconciledRequest,
): Promise<WrittenReconciledFile[]> {
  const files = await reconcilableFiles(tx, scope);
  const rowsOfFiles = files.reduce((sum, file) => sum + file.rows_accepted, 0);
  const task = progress.begin('reports', rowsOfFiles, 'rows');
  const written: WrittenReconciledFile[] = [];
  try {
    // With shards, the exceptions of a file are collected in tables of one name. A re-run reads the rows of a day with
    // a cursor, and during that time the connection can do nothing else.
    const isOneByOne = scope.kind === 'range' || (await isDivided(tx));
    const groups = isOneByOne ? files.map((file) => [file]) : groupsOf(files);
    for (const group of groups) {
      const writing = group.map((file) => {
        const reconciliation = { scope, archive, task, stopIfAborted, stored: () => stored(file.id) };
        return writeReconciledFile(tx, folder, file, reconciliation);
      });
      written.push(...(await allDone(writing)));
    }
  } finally {
    task.end();
  }
  return written;
}

/**
 * @returns the names within the report folder, and the total of the manifest
 * @throws ReconError CONTROL_TOTALS_DISAGREE when the written rows are not the stored ones
 */
export async function checkReconciled(
  written: readonly WrittenReconciledFile[],
  { scope, stored }: Pick<ReconciledRequest, 'scope' | 'stored'>,
): Promise<{ names: string[]; total: TableTotal }> {
  let rows = 0;
  for (const one of written) {
    await checkReconciledFile(one, scope, await stored(one.file.id));
    rows += one.rows.written.rows;
  }
  return { names: written.map(({ name }) => name), total: { parts: written.length, rows } };
}
