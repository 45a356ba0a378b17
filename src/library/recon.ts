import type { Writable } from 'node:stream';
import type { DiscrepancyCode, Severity } from '../findings/discrepancy-codes.js';
import type { ItemStatus } from '../findings/open-item.js';
import type { DecisionKind } from '../values/decision-kinds.js';
import type { Decided } from '../items/decide.js';
import type { ListedItem } from '../items/listed-item.js';
import type { Pattern } from '../items/patterns.js';
import type { Explanation } from '../matching/explain/explanation.js';
import type { WithdrawnFile } from '../intake/withdraw-file.js';
import type { ListedDiscrepancy } from '../listings/list-discrepancies.js';
import type { FileStatus, ListedFile } from '../listings/list-files.js';
import type { ListedRun, RunStatus } from '../listings/list-runs.js';
import type { FilesDiff, RunsDiff } from './diff.js';
import type { Listing } from '../listings/listing.js';
import type { CompletedRun, RunOutcome } from '../outcome.js';
import type { PaymentsImported } from '../payment-core/index.js';
import type { Purged } from '../retention/purge.js';
import type { ReconSettings } from './settings.js';

/** How to open recon in a program. Nothing is read from the environment of the process unless it is given. */
export interface ReconOptions {
  /** The settings; exclusive with `configFile`. Without either, the defaults apply. */
  readonly settings?: ReconSettings;
  /** A configuration file as the command line reads it. */
  readonly configFile?: string;
  /** For `configFile`: variables for `${NAME}`, and RECON_DATABASE_URL and RECON_DATA_DIR. Default none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths refer to. Default: the current folder of the process. */
  readonly cwd?: string;
  /** Receives each log entry as a line of JSON, at the configured level. Without it nothing is logged. */
  readonly log?: (line: string) => void;
  /** Milliseconds since the epoch; default the system's clock. */
  readonly clock?: () => number;
}

/** The option of every operation that may take long. */
export interface Interruptible {
  /** Stops the operation at the next safe point. What was committed stays; the next run continues from there. */
  readonly signal?: AbortSignal;
}

/** What a run reads, and as of which day. */
export interface RunOptions extends Interruptible {
  /** Names of the sources to read; all of them when left out. */
  readonly sources?: readonly string[];
  /** Local files to read instead of the sources. */
  readonly files?: readonly string[];
  /** `yyyy-MM-dd`: evaluate due dates as of this day. Default: today in the configured time zone. */
  readonly asOf?: string;
  /** Change nothing, neither in the database nor on the disk. */
  readonly dryRun?: boolean;
}

/** The range of a re-run. */
export interface RerunOptions extends Interruptible {
  /** Settlement dates `yyyy-MM-dd`, both included. */
  readonly from: string;
  /** The last settlement date, `yyyy-MM-dd`; not before `from` (USAGE_INVALID). */
  readonly to: string;
  /** Fetch new files from the sources first. */
  readonly fetch?: boolean;
  /** As of a run, see {@link RunOptions.asOf}. */
  readonly asOf?: string;
  /** Change nothing, neither in the database nor on the disk. */
  readonly dryRun?: boolean;
}

/** As of which day a purge looks at ages, and whether it removes anything. */
export interface PurgeOptions extends Interruptible {
  /**
   * `yyyy-MM-dd`: ages are counted to this day. Default today in the configured time zone; a later one needs `dryRun`.
   */
  readonly asOf?: string;
  /** Only return what would be removed. */
  readonly dryRun?: boolean;
}

/**
 * A completed run (the latest when `runId` is left out), or a range of settlement dates. `asOf` is the day of the ages
 * and waits in the report of a range, today when it is left out; the report of a run is as of the day of that run.
 */
export type ReportOptions = Interruptible &
  ({ readonly runId?: number } | { readonly from: string; readonly to: string; readonly asOf?: string });

/** How many entries a list returns at most; all of them when left out. */
interface Limited {
  readonly limit?: number;
}

/** Who decides about a file, and why; both are kept. */
export interface FileDecision {
  /** The author, for the audit log; not blank. */
  readonly by: string;
  /** Shown wherever the withdrawal is; not blank. */
  readonly reason: string;
}

/** Which runs to list; all of them without an option. */
export interface RunsFilter extends Limited {
  /** Only runs in this state; a run that is active is `running`. */
  readonly status?: RunStatus;
}

/** Which settlement files to list; all of them without an option. */
export interface FilesFilter extends Limited {
  /** Only files in this state; a withdrawn file is not `loaded`. */
  readonly status?: FileStatus;
  /** The name of a source; also one that is no longer configured. */
  readonly source?: string;
  /** The run that loaded or rejected the file. */
  readonly runId?: number;
}

/** Which discrepancies to list; all that are open without an option. */
export interface DiscrepanciesFilter extends Limited {
  /** One code of design 4.6. */
  readonly code?: DiscrepancyCode;
  /** Exactly this one, not also those above it. */
  readonly severity?: Severity;
  /** SettlementDate of the record, or the payment's own day; either end may be left out. */
  readonly from?: string;
  /** The last day, `yyyy-MM-dd`, included. */
  readonly to?: string;
  /** The run that found it first. */
  readonly runId?: number;
  /** Include those that no longer hold. */
  readonly withResolved?: boolean;
}

/** Which items to list; those that are open or waiting without an option. */
export interface ItemsFilter extends Limited {
  /** Open and waiting ones when left out. */
  readonly status?: ItemStatus;
  /** Only those whose decision lapsed. */
  readonly lapsed?: boolean;
  /** Empty: those that nobody is assigned to. */
  readonly assignee?: string;
  /** One code of design 4.6. */
  readonly code?: DiscrepancyCode;
  /** Exactly this one, not also those above it. */
  readonly severity?: Severity;
  /** MerchantAccountId. */
  readonly account?: string;
  /** Of the amount at risk, such as `EUR`. */
  readonly currency?: string;
  /** Only those in which this text occurs: ids, references, amount, sentence, note. */
  readonly text?: string;
  /** The `patternId` of a pattern. */
  readonly pattern?: string;
  /** `yyyy-MM-dd`: the day to which days are counted. Default today in the configured zone. */
  readonly asOf?: string;
}

/** One decision about items, which are named or given by a filter. */
export interface DecideOptions {
  /**
   * DiscrepancyIds (or their first digits) and records as FILE:LINE; or all items of a filter, which must restrict them
   * (USAGE_INVALID).
   */
  readonly items: readonly string[] | Omit<ItemsFilter, 'limit' | 'asOf'>;
  /** What is decided (design 4.9); `approve` agrees to an `accept` that waits for a second person. */
  readonly decision: DecisionKind;
  /** Who decides. */
  readonly by: string;
  /** For `wait`: the day on which the item is open again. */
  readonly until?: string;
  /** For `link`: the payment. */
  readonly linkTo?: string;
  /** For `assign`. */
  readonly assignee?: string;
  /** Required for `accept`; kept and shown. */
  readonly reason?: string;
  /** For `note`; other kinds keep it beside the decision. */
  readonly note?: string;
  /** `yyyy-MM-dd`: the day of the decision. Default today in the configured time zone. */
  readonly asOf?: string;
  /** Only check, and return what would be decided. */
  readonly dryRun?: boolean;
}

/**
 * The reconciliation as a library: the functions that the command line calls, on one open database. Methods reject with
 * `ReconError`: a stable code, the exit code that the command line would give, and advice. Only one run or re-run at a
 * time is possible per database; a second one rejects with RUN_ACTIVE.
 */
export interface Recon {
  /**
   * Fetches new files, matches, assesses and reports. If a run started and failed, this resolves with `status:
   * 'failed'` and its `error`; if it could not start, this rejects.
   */
  run(options?: RunOptions): Promise<RunOutcome>;
  /** Matches and reports the stored records of a range again; resolves and rejects like `run`. */
  rerun(options: RerunOptions): Promise<RunOutcome>;
  /** Writes reports again from the stored data. */
  report(options?: ReportOptions): Promise<CompletedRun>;
  /** Removes what is older than `retention` allows; never what is open, waiting or inside the look-back. */
  purge(options?: PurgeOptions): Promise<Purged>;
  /** Explains why a record (`FILE:LINE`, UniqueID, SettlementTxId or DiscrepancyId) matched as it did. */
  explain(record: string): Promise<Explanation>;
  /**
   * Compares two settlement files (by name, SHA-256 or the first eight digits of that) or two runs (`run:3`, the
   * earlier one first) by record, cell and finding.
   */
  diff(before: string, after: string): Promise<FilesDiff | RunsDiff>;
  /** Stores the payments of a file: all of them, or none when a line is invalid. */
  importPayments(file: string): Promise<PaymentsImported>;
  /** Writes the stored payments in the format that `importPayments` reads. The stream is not ended. */
  exportPayments(out: Writable): Promise<{ readonly written: number }>;
  /**
   * Excludes the records of a settlement file from the next run on; they stay stored. The file is named by
   * its name, its SHA-256, or the first eight digits of that. A file that was rejected as a whole is not tried again.
   */
  withdrawFile(file: string, decision: FileDecision): Promise<WithdrawnFile>;
  /** Takes the withdrawal of a file back, from the next run on. */
  restoreFile(file: string, decision: FileDecision): Promise<WithdrawnFile>;
  /** The latest runs first. */
  runs(filter?: RunsFilter): Promise<Listing<ListedRun>>;
  /** The latest files first. */
  files(filter?: FilesFilter): Promise<Listing<ListedFile>>;
  /** The most severe discrepancies first. */
  discrepancies(filter?: DiscrepanciesFilter): Promise<Listing<ListedDiscrepancy>>;
  /**
   * The same, one at a time and from one snapshot, for lists that are too long for the memory. A loop that is left
   * early ends the reading; until then a connection stays open.
   */
  eachDiscrepancy(filter?: DiscrepanciesFilter): AsyncIterable<ListedDiscrepancy>;
  /** What is open in the whole database, the most money at risk first. */
  items(filter?: ItemsFilter): Promise<Listing<ListedItem>>;
  /** The same, one at a time, like `eachDiscrepancy`. */
  eachItem(filter?: ItemsFilter): AsyncIterable<ListedItem>;
  /** Findings with one cause, the most first. */
  patterns(options?: { readonly asOf?: string }): Promise<Pattern[]>;
  /** Makes one decision about all items named, or about none of them. */
  decide(options: DecideOptions): Promise<Decided>;
  /** Stores the decisions of an edited `open-items.xlsx` or `open-items.csv`: all of them, or none. */
  decideSheet(
    file: string,
    options: { readonly by: string; readonly asOf?: string; readonly dryRun?: boolean },
  ): Promise<Decided>;
  /**
   * Ends loops over `each…` with USAGE_INVALID, waits for other operations in progress, then closes every connection;
   * the last user also stops the embedded server.
   */
  close(): Promise<void>;
}
