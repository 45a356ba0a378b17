import type { Tx } from '../db/connect.js';
import { filesInScope, type RunScope } from '../db/run-scope.js';
import type { ProgressTask } from '../progress.js';
import { headerLine } from '../settlement-file/columns.js';
import type { RowBlock } from '../settlement-file/read-rows.js';
import { replaceOutcomeCells } from '../settlement-file/write-row.js';
import { readArchivedRows } from './archived-file.js';
import { assertConserved, RowSums } from './conservation.js';
import { noTotals, type FileTotals } from './control-totals.js';
import { FileFindings, ownUniqueId } from './file-findings.js';
import type { ReportFolder } from './report-folder.js';
import type { ReportFile } from './report-file.js';

/** A loaded file in scope, of which a reconciled file is to be written. */
export interface ReconcilableFile {
  readonly id: number;
  readonly name: string;
  readonly sha256: string;
  readonly report_name: string;
  /** `yyyy-MM-dd HH:mm:ss+0000`: what an empty TxRequestTime is filled with. */
  readonly received_at: string;
  readonly rows_accepted: number;
}

export async function reconcilableFiles(tx: Tx, scope: RunScope): Promise<ReconcilableFile[]> {
  return tx<ReconcilableFile[]>`
    select id, name, sha256, report_name, rows_accepted,
      to_char(received_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || '+0000' as received_at
    from settlement_files where id in (${filesInScope(tx, scope)}) order by report_name collate "C"`;
}

interface Reconciliation {
  readonly scope: RunScope;
  readonly archivePath: (sha256: string) => string;
  /** What the database holds of the file's rows in scope. */
  readonly stored: FileTotals | undefined;
  readonly task: ProgressTask;
  readonly stopIfAborted: () => void;
}

/**
 * `reconciled/<name>`: the archived file read again and zipped with the findings (design 9). Accepted rows
 * as they came, columns 34-36 ours, TxRequestTime filled where it was empty; rejected rows are left out,
 * and of a range the rows of other days. The machine's copy: no byte order mark, LF, nothing escaped.
 *
 * @returns the name within the report folder
 * @throws ReconError DISK_FAILED when the archive is damaged, CONTROL_TOTALS_DISAGREE when what was written
 * is not what was stored; DISK_FULL.
 */
export async function writeReconciledFile(
  tx: Tx,
  folder: ReportFolder,
  file: ReconcilableFile,
  reconciliation: Reconciliation,
): Promise<string> {
  const name = `reconciled/${safeName(file.report_name)}`;
  const findings = new FileFindings(tx, reconciliation.scope, file.id);
  const report = await folder.create(name);
  try {
    const written = await zipRows(report, file, findings, reconciliation);
    const stored = reconciliation.stored ?? noTotals();
    assertConserved(file.name, stored, written);
    if (reconciliation.scope.kind === 'run') {
      assertConserved(file.name, { ...stored, rows: file.rows_accepted }, written);
    }
    await folder.finish(report, written.rows);
    return name;
  } catch (thrown) {
    await report.abandon();
    throw thrown;
  } finally {
    await findings.close();
  }
}

async function zipRows(
  report: ReportFile,
  file: ReconcilableFile,
  findings: FileFindings,
  { archivePath, task, stopIfAborted }: Reconciliation,
): Promise<FileTotals> {
  const sums = new RowSums();
  await report.write(`${headerLine}\n`);
  for await (const block of readArchivedRows(file, archivePath(file.sha256))) {
    stopIfAborted();
    await report.write(await zipBlock(block, file.received_at, findings, sums));
    task.advance(block.rows.length);
  }
  return sums.totals;
}

async function zipBlock(
  { rows }: RowBlock,
  receivedAt: string,
  findings: FileFindings,
  sums: RowSums,
): Promise<string> {
  let text = '';
  for (const row of rows) {
    while (row.line >= findings.end) await findings.advance();
    const finding = findings.take(row.line);
    if (finding === undefined) continue;
    const uniqueId = sums.add(row);
    const matched = finding.matchedTransactions;
    text += replaceOutcomeCells(row, {
      txRequestTimeIfEmpty: receivedAt,
      matchingStatus: finding.matchingStatus,
      matchedTransactions: matched === ownUniqueId ? uniqueId : matched,
      chargebackId: finding.chargebackId,
    });
  }
  return text;
}

/** It was made safe when the file was received; a report must not leave its folder whatever is stored. */
function safeName(reportName: string): string {
  if (reportName === '' || /^\.\.?$|[/\\\0]/.test(reportName))
    throw new Error('a report name is a plain file name');
  return reportName;
}
