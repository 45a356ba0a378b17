import type { ErrorCode } from './errors.js';
import type { RunId } from './values/ids.js';

/** The `--json` document of `run` and `rerun` (design 5). Its names are a contract. */
export type RunOutcome = CompletedRun | FailedRun;

/** The outcome of a run that came to its end, with or without findings. */
export interface CompletedRun extends AnyOutcome {
  /** The run came to its end; whether it found anything is in `exitCode`. */
  readonly status: 'completed';
  /**
   * Always null: a run that an error ended is a {@link FailedRun}. Errors of files and sources are in `files` and
   * `sources`.
   */
  readonly error: null;
  /** What moved, and what did not. */
  readonly totals: RunTotals;
  /** Null when nothing was published: a dry run. */
  readonly reports: ReportPaths | null;
}

/** The outcome of a run that was ended: it has no results. */
export interface FailedRun extends AnyOutcome {
  readonly status: 'failed';
  /** What ended it. */
  readonly error: OutcomeError;
  /** Null: matching and reports are one whole, so there are no sums of a part. */
  readonly totals: null;
  /** Null: a report folder is published whole or not at all. */
  readonly reports: null;
}

/** What completed and failed runs have in common. */
interface AnyOutcome {
  readonly runId: RunId;
  /** `rerun` repeats matching and reports for a range of settlement dates (design 4.7). */
  readonly kind: 'run' | 'rerun';
  /** The day on which payments count as due, `yyyy-MM-dd`. */
  readonly asOf: string;
  /** The exit code of the command line (design 5). */
  readonly exitCode: number;
  /** Sentences to read first, such as that no payments are stored; only when there are any. */
  readonly notices?: readonly string[];
  /** The sources that were asked for files, in the order in which they were read; empty with local files. */
  readonly sources: readonly SourceOutcome[];
  /** Every file that this run took in, refused or deferred, also one without a new record. */
  readonly files: readonly FileOutcome[];
  /** Of the records in scope. */
  readonly matching: MatchingCounts;
  /**
   * Of the records in scope: CHARGEBACK records that have an id, also from an earlier run, and reversals of one that
   * counts.
   */
  readonly chargebacks: { readonly assigned: number; readonly reversed: number };
  readonly discrepancies: {
    /** Open discrepancies of the records and payments that the run looked at. */
    readonly total: number;
    /** Their number by code; a code without any is missing. */
    readonly byCode: Readonly<Record<string, number>>;
    readonly amounts: readonly DiscrepancyAmount[];
    /**
     * The AMOUNT_MISMATCH within a tolerance (severity info), which `byCode` and `amounts` contain too; only when there
     * are any.
     */
    readonly withinTolerance?: readonly Omit<DiscrepancyAmount, 'code'>[];
  };
  /** Of the whole database, not only of what the run looked at. */
  readonly items: ItemCounts;
  /** What became of the deliveries that the sources state; empty without such settings (design 4.10). */
  readonly expected: readonly ExpectedDelivery[];
  /** Files that were withdrawn or restored since the last run; only when there are such files. */
  readonly withdrawals?: readonly AppliedWithdrawal[];
  /** Reports that were delivered after the run, or wait for it; only with `reports.deliverTo`. */
  readonly deliveries?: readonly ReportDelivery[];
}

/** What is known of a run before its reports are written. */
export type UnreportedOutcome = Omit<CompletedRun, 'reports' | 'totals' | 'discrepancies'>;

/** What became of a report folder at one place that reports are delivered to. */
export interface ReportDelivery {
  /** The name of the place in `reports.deliverTo`. */
  readonly target: string;
  /** `run-000017` */
  readonly folder: string;
  /** `waiting`: the next run tries again. */
  readonly status: 'delivered' | 'waiting';
  /** Why it waits; null if it was delivered. */
  readonly error: OutcomeError | null;
}

/** Items of the whole database by state (design 4.9), and how many of them the run saw first or resolved. */
export interface ItemCounts {
  /** `OPEN`, lapsed ones included. */
  readonly open: number;
  /** Those that no run saw before; one that was resolved and holds again is not new. */
  readonly new: number;
  /** The `new` items by severity. */
  readonly newBySeverity: { readonly error: number; readonly warning: number; readonly info: number };
  /** Those that this run resolved: their finding no longer holds. */
  readonly resolved: number;
  /** `WAITING`: until the day of their decision. */
  readonly waiting: number;
  /** `ACCEPTED`: the finding still holds, and a person agreed to it. */
  readonly accepted: number;
  /** Open again because the facts of their decision changed; `open` counts them too. */
  readonly lapsed: number;
}

/** Of a run that was ended before it could count items. */
export const noItems: ItemCounts = {
  open: 0,
  new: 0,
  newBySeverity: { error: 0, warning: 0, info: 0 },
  resolved: 0,
  waiting: 0,
  accepted: 0,
  lapsed: 0,
};

/** The money of the records in scope, each counted once: one entry per settlement currency, in order of its code. */
export interface RunTotals {
  /** Empty if the run looked at no records. */
  readonly byCurrency: readonly CurrencyTotal[];
  /** Rows that failed validation: all of them, and those whose amount nobody can read. */
  readonly rejectedRows: { readonly count: number; readonly unreadable: number };
}

/**
 * Sums of SettlementAmount in one currency, as `123.45`: gross - refunds - chargebacks + reversals - fees = net. What
 * is FAILED or rejected did not move and is in none of these.
 */
export interface MovedMoney {
  /** SettlementCurrency (catalogue 2.27), a code of ISO 4217. */
  readonly currency: string;
  /** Records of which the money moved. */
  readonly records: number;
  /** SETTLED, POS, before the fees that the sender deducted. */
  readonly gross: string;
  /** SETTLED, NEG: refunds and credits. */
  readonly refunds: string;
  /** CHARGEBACK records. */
  readonly chargebacks: string;
  /** CHARGEBACK REVERSAL records. */
  readonly reversals: string;
  /** feesDeducted + feesCharged + feeRecords. */
  readonly fees: string;
  /** May be negative: then the sender deducted more than it paid. */
  readonly net: string;
  /** SettlementFee that SettlementAmount is already less. */
  readonly feesDeducted: string;
  /** SettlementFee beside SettlementAmount. */
  readonly feesCharged: string;
  /** FEE records. */
  readonly feeRecords: string;
  /** Records whose SettlementStatus is FAILED. */
  readonly failed: UnmovedMoney;
}

/** The money of one currency: what moved, and what rejected rows state. */
export interface CurrencyTotal extends MovedMoney {
  /** Rejected rows whose currency, Cashflow and amount are readable. */
  readonly rejected: UnmovedMoney;
}

/** Amounts that a file states and that did not move. */
export interface UnmovedMoney {
  /** How many records or rows. */
  readonly count: number;
  /** Sums of SettlementAmount by Cashflow, as `123.45`. */
  readonly pos: string;
  /** Where Cashflow is NEG, without a sign. */
  readonly neg: string;
}

/** How much money the open discrepancies of a code are about, as `123.45`. */
export interface DiscrepancyAmount {
  /** A discrepancy code (design 4.6). */
  readonly code: string;
  /** The currency of `amount`; a code has one entry for each. */
  readonly currency: string;
  /** How many open discrepancies state an amount in this currency. */
  readonly count: number;
  /** The sum of what each of them is about, without signs: opposite amounts do not cancel each other out. */
  readonly amount: string;
}

/** A delivery that a source states must arrive. */
export interface ExpectedDelivery {
  /** The name of the source in the configuration. */
  readonly source: string;
  /** The day that it is about. */
  readonly date: string;
  /** `late` arrived after its deadline; `outstanding` has time until its deadline, and `missing` has not. */
  readonly status: 'arrived' | 'late' | 'outstanding' | 'missing';
  /** ISO moment of the deadline. */
  readonly due: string;
  /** The names of the files that arrived for it. */
  readonly files: readonly string[];
  /** A skipped or repeated running number, or a number of rows outside the bounds: sentences. */
  readonly problems: readonly string[];
  /** Of an expectation that names its files: a source may have several of them for one day. */
  readonly filePattern?: string;
}

/** A file whose withdrawal or restoration took effect in a run (design 4.8). */
export interface AppliedWithdrawal {
  /** Whether the file counts for nothing from this run on, or counts again. */
  readonly status: 'withdrawn' | 'restored';
  /** The source that delivered the file. */
  readonly source: string;
  /** The name under which it was delivered. */
  readonly name: string;
  /** Of its bytes, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** How many of its records ceased to count, or count again. */
  readonly records: number;
  /** Who decided it. */
  readonly by: string;
  /** What the person wrote, with card numbers masked. */
  readonly reason: string;
}

/** What went wrong, with the code of the catalogue. */
export interface OutcomeError {
  /** Stable, for scripts: docs/codes.md lists every code with what to do. */
  readonly code: ErrorCode;
  /** A sentence for the operator, without secrets; its words may change. */
  readonly message: string;
}

/** Whether a source could be read. */
export interface SourceOutcome {
  /** The name of the source in the configuration. */
  readonly name: string;
  /** `failed`: exit code 4; the other sources were read all the same. */
  readonly status: 'read' | 'failed';
  /** Why it could not be read; null if it was. */
  readonly error: OutcomeError | null;
}

/** What became of a settlement file. */
export interface FileOutcome {
  /** The name of the source, or `local` for a file that was named on the command line. */
  readonly source: string;
  /** The name of the file at its source. */
  readonly name: string;
  /** Null when the file never arrived whole. */
  readonly sha256: string | null;
  /**
   * `duplicate`: the same bytes were received before. `rejected`: invalid as a whole, nothing of it is stored.
   * `deferred`: it is still written or waits for its totals, and a later run tries again. `failed`: it could not be
   * fetched or stored.
   */
  readonly status: 'loaded' | 'duplicate' | 'rejected' | 'deferred' | 'failed';
  /** Why it was not loaded; null of a file that is loaded or a duplicate. */
  readonly error: OutcomeError | null;
  /** All 0 when nothing of it was read. */
  readonly rows: FileRows;
  /** The packed file (gzip, zip) that it was in; only when it came in one. */
  readonly packedIn?: string;
  /** What a person should know about a file that is loaded or a duplicate; see `noteOf` and `duplicate`. */
  readonly note?: string;
}

/**
 * `accepted` passed validation; `alreadyKnown` among them were not stored again. Of a file that is rejected as a whole,
 * `total` and `rejected` count what was read of it, and nothing is accepted.
 */
export interface FileRows {
  /** Rows below the header, valid or not. */
  readonly total: number;
  /** Valid rows, those that were known already included. */
  readonly accepted: number;
  /** Invalid rows, each stored with its text and its issues (design 4.1). */
  readonly rejected: number;
  /** Of `accepted`: records that an earlier file brought (design 4.3). */
  readonly alreadyKnown: number;
}

/** The records that the run looked at, by MatchingStatus. */
export interface MatchingCounts {
  /** One payment. */
  readonly MATCHED: number;
  /** Several payments, of which none is chosen. */
  readonly MULTIPLE_MATCHES: number;
  /** No payment. */
  readonly NOT_MATCHED: number;
  /** Fees of the account, which no payment belongs to: their MatchingStatus is empty (design 4.4). */
  readonly NOT_APPLICABLE: number;
}

/** The published reports, as absolute paths. */
export interface ReportPaths {
  /** The report folder, which contains all the others. */
  readonly directory: string;
  readonly discrepancies: string;
  readonly rejectedRows: string;
  readonly chargebacks: string;
  readonly totals: string;
  /** The settlement files with their results in columns 34 to 36, one for each file. */
  readonly reconciled: readonly string[];
  readonly summary: string;
  readonly manifest: string;
  readonly openItems: string;
  readonly openItemsXlsx: string;
  /** The morning page for people. */
  readonly page: string;
  /** The rejected rows of all files that are not corrected yet. */
  readonly corrections: string;
}

/**
 * A header and no rows: a day without settlements, or an export that broke. Nobody but the sender can tell, so the
 * summary says it.
 */
export function noteOf(status: FileOutcome['status'], rows: FileRows): { readonly note?: string } {
  if (status !== 'loaded' || rows.total > 0) return {};
  return {
    note: 'The file has a header and no rows; ask the sender if settlements were expected.',
  };
}

/** Of a file of which nothing was read. */
export const noRows: FileRows = { total: 0, accepted: 0, rejected: 0, alreadyKnown: 0 };
