import type { Archive } from '../archive/archive.js';
import type { Sql, Tx } from '../db/client.js';
import type { DueSettings, RunScope } from '../db/run-scope.js';
import type { ClosedItems } from '../findings/item-ages.js';
import type { Progress } from '../progress.js';
import type { CsvFormat } from './tables/csv-cells.js';
import type { EarlyReconciledFiles } from './early-reconciled-files.js';
import type { EarlySums } from './early-sums.js';
import type { UnreportedOutcome } from '../outcome.js';

/** What is to be reported on, and where the reports go. */
export interface PublishRequest {
  readonly scope: RunScope;
  readonly due: DueSettings;
  /** Name of the folder below `reportsDirectory`, such as `run-000017`. */
  readonly folderName: string;
  readonly reportsDirectory: string;
  /** The permission bits of the files; folders get the execute bits that match. */
  readonly fileMode: number;
  /** How the CSV reports for people are written; the reconciled files always have the format of their senders. */
  readonly format: CsvFormat;
  /** Where the bytes of a file are stored. */
  readonly archive: Archive;
  readonly outcome: UnreportedOutcome;
  /** Every open item of the database as texts, in the order of the report. */
  readonly openItems: (tx: Tx) => AsyncIterable<readonly string[]>;
  /** Those that were accepted, and those that the run of the outcome resolved. */
  readonly closedItems: (tx: Tx) => Promise<ClosedItems>;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** The reconciled files, if they were written before; the folder then continues what they began. */
  readonly early?: EarlyReconciledFiles | undefined;
  /** The sums of all records, if they were read before. */
  readonly earlySums?: EarlySums | undefined;
  /** For a second connection, which reads the same snapshot as the transaction. */
  readonly sql: Sql;
  /** Called once the thread that writes the workbook runs. */
  readonly threadStarted: () => void;
  /** The most rows of one spreadsheet, header included; only tests set it. */
  readonly rowLimit?: number;
}
