import type { Archive } from '../../archive/archive.js';
import type { RunScope } from '../../db/run-scope.js';
import type { ProgressTask } from '../../progress.js';
import type { FileId } from '../../values/ids.js';
import type { ReportFile } from '../folder/report-file.js';
import type { ArchivedFile } from './archived-file.js';
import type { CorrectedCells } from './corrected-rows.js';
import type { FileTotals } from '../totals/file-totals.js';
import type { RowZipper } from './zip-rows.js';

/** A loaded file in scope, for which a reconciled file is written. */
export interface ReconcilableFile {
  readonly id: FileId;
  readonly name: string;
  readonly sha256: string;
  readonly report_name: string;
  /** `yyyy-MM-dd HH:mm:ss+0000`: what an empty TxRequestTime is filled with. */
  readonly received_at: string;
  readonly rows_total: number;
  readonly rows_accepted: number;
  readonly rows_already_known: number;
  readonly first_settlement_date: string | null;
  readonly last_settlement_date: string | null;
  /** Whether every row that was not accepted is among the stored rejected rows. */
  readonly lists_rejected: boolean;
  /** Whether its records have more candidates than one window of results holds. */
  readonly has_many_candidates: boolean;
  /** Whether a person corrected rows of it. */
  readonly has_corrections: boolean;
}

/** What reconciled files are written from, and compared with. */
export interface Reconciliation {
  readonly scope: RunScope;
  readonly archive: Archive;
  /** The totals of the file's stored rows in scope; the database adds them up while the file is written. */
  readonly stored: () => Promise<FileTotals | undefined>;
  readonly task: ProgressTask;
  readonly stopIfAborted: () => void;
}

/** A reconciled file, and what it is made of. */
export interface Zipped {
  readonly file: ReconcilableFile;
  readonly report: ReportFile;
  readonly archived: ArchivedFile;
  readonly zipper: RowZipper;
  /** By line. */
  readonly corrected: CorrectedCells;
}

/** What became of the rows in scope. */
export interface WrittenRows {
  readonly written: FileTotals;
  /** Stored rows that the archived file lacks. */
  readonly skipped: number;
}
