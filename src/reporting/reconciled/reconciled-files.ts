import { disagreement } from '../../differing-sums.js';
import type { Tx } from '../../db/client.js';
import { reportedFilesInScope, type RunScope } from '../../db/run-scope.js';
import { ReconError } from '../../errors.js';
import { headerLine } from '../../settlement-file/columns.js';
import { assertIntact, readArchivedRows, type ArchivedFile } from './archived-file.js';
import { BackgroundWriter } from '../folder/background-writer.js';
import { noTotals, type FileTotals } from '../totals/file-totals.js';
import { placesOfDays, zipRowsOfDays } from './copy-rows-of-days.js';
import { isEntered } from '../scope/is-entered.js';
import { correctedCells, correctedRow, type CorrectedCells } from './corrected-rows.js';
import { FileResults } from './file-results.js';
import type { ReconcilableFile, Reconciliation, WrittenRows, Zipped } from './reconciliation.js';
import type { ReportFolder } from '../folder/report-folder.js';
import { nothingPublished } from '../folder/report-file.js';
import { assertSameTotals } from './same-totals.js';
import { hasManyCandidates } from './window-cuts.js';
import { RowZipper } from './zip-rows.js';

/** The files of a scope that get a reconciled file, in the order of their names. */
export async function reconcilableFiles(tx: Tx, scope: RunScope): Promise<ReconcilableFile[]> {
  return tx<ReconcilableFile[]>`
    select id, name, sha256, report_name, rows_total, rows_accepted, rows_already_known,
      first_settlement_date::text, last_settlement_date::text,
      rows_total - rows_accepted = (select count(*) from rejected_rows q
        where q.file_id = settlement_files.id and not ${isEntered(tx)}) as lists_rejected,
      ${hasManyCandidates(tx)} as has_many_candidates,
      exists (select from row_corrections c where c.file_id = settlement_files.id) as has_corrections,
      to_char(received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || '+0000' as received_at
    from settlement_files where id in (${reportedFilesInScope(tx, scope)}) order by report_name collate "C"`;
}

/** A reconciled file that is written and not yet compared with the stored totals. */
export interface WrittenReconciledFile {
  /** Within the report folder. */
  readonly name: string;
  readonly file: ReconcilableFile;
  readonly archived: ArchivedFile;
  readonly rows: WrittenRows;
}

/**
 * `reconciled/<name>`: the archived file, read again and joined with the results (design 9). Accepted rows stay as
 * they were received, except that columns 34-36 are ours and an empty TxRequestTime is filled. Rejected rows are left
 * out, unless a person corrected them: then the corrected row stands in their place; so are rows of other days when the
 * scope is a range. Of a file with few rows in the range, only these are read. For machines: no byte order mark, LF,
 * nothing escaped.
 *
 * @throws ReconError DISK_FAILED when the archive is damaged, CONTROL_TOTALS_DISAGREE when a row is not a record;
 * DISK_FULL.
 */
export async function writeReconciledFile(
  tx: Tx,
  folder: ReportFolder,
  file: ReconcilableFile,
  reconciliation: Reconciliation,
): Promise<WrittenReconciledFile> {
  const name = `reconciled/${safeName(file.report_name)}`;
  const archived = { name: file.name, sha256: file.sha256, bytes: reconciliation.archive.bytes(file.sha256) };
  const report = await folder.create(name);
  try {
    const corrected: CorrectedCells = file.has_corrections ? await correctedCells(tx, file.id) : new Map();
    const places = await placesOfDays(tx, file, reconciliation);
    const zipper = new RowZipper(file.received_at);
    const zipped = { file, report, archived, zipper, corrected };
    const rows =
      places === null
        ? await zipWhole(tx, zipped, reconciliation)
        : await zipRowsOfDays(tx, { ...zipped, places }, reconciliation);
    await folder.finish(report, rows.written.rows);
    return { name, file, archived, rows };
  } catch (thrown) {
    // The file was read without errors when it was loaded, so damaged bytes are the first possible cause.
    if (isAboutContent(thrown)) await assertIntact(archived);
    throw thrown;
  }
}

/**
 * Compares the rows that were written with the stored ones.
 *
 * @throws ReconError CONTROL_TOTALS_DISAGREE, or DISK_FAILED when the archive is damaged
 */
export async function checkReconciledFile(
  { file, archived, rows }: WrittenReconciledFile,
  scope: RunScope,
  stored: FileTotals | undefined,
): Promise<void> {
  try {
    assertComplete(file, rows, scope, stored);
  } catch (thrown) {
    await assertIntact(archived);
    throw thrown;
  }
}

/** Reads the whole file and takes the rows in scope. */
async function zipWhole(tx: Tx, zipped: Zipped, reconciliation: Reconciliation): Promise<WrittenRows> {
  const results = await FileResults.open(tx, reconciliation.scope, zipped.file);
  try {
    await zipRows(zipped, results, reconciliation);
    return { written: zipped.zipper.totals(), skipped: results.skipped };
  } finally {
    await results.close();
  }
}

/** Joins block by block; while one block is written, the next is made. Many candidates make several of a block. */
async function zipRows(
  { report, archived, zipper, corrected }: Zipped,
  results: FileResults,
  { task, stopIfAborted }: Reconciliation,
): Promise<void> {
  const writer = await BackgroundWriter.begin(report, `${headerLine}\n`);
  for await (const { rows } of readArchivedRows(archived)) {
    stopIfAborted();
    for (const row of rows) {
      while (row.line >= results.end) await results.advance();
      const result = results.take(row.line);
      if (result !== undefined) zipper.add(correctedRow(row, corrected), result);
      if (zipper.isFull) await writer.write(zipper.take());
    }
    await writer.write(zipper.take());
    task.advance(rows.length);
  }
  await writer.end();
}

/** @throws ReconError CONTROL_TOTALS_DISAGREE */
function assertComplete(
  file: ReconcilableFile,
  { written, skipped }: WrittenRows,
  scope: RunScope,
  stored: FileTotals = noTotals,
): void {
  assertSameTotals(file.name, stored, written);
  if (scope.kind === 'run') assertSameTotals(file.name, { ...stored, rows: file.rows_accepted }, written);
  if (skipped > 0) {
    throw disagreement(
      `${skipped} stored rows of ${file.name} are not in its archived file`,
      nothingPublished,
    );
  }
}

/** Failures that damaged bytes could have caused: grammar, totals, or a line that is not a row. */
function isAboutContent(thrown: unknown): boolean {
  if (!(thrown instanceof ReconError)) return false;
  return thrown.of === 'content' || thrown.code === 'CONTROL_TOTALS_DISAGREE';
}

/** The name was made safe when the file was received; even so, a report must never be written outside its folder. */
function safeName(reportName: string): string {
  if (reportName === '' || /^\.\.?$|[/\\\0]/.test(reportName))
    throw new Error('a report name is a plain file name');
  return reportName;
}
