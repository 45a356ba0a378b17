import type { Cells } from '../../support/settlement-rows.js';

/** A file that a source delivers. Of one source, the names ascend in the order of receipt. */
export interface DeliveredFile {
  readonly source: SourceName;
  readonly name: string;
  readonly rows: readonly Cells[];
}

export type SourceName = 'north' | 'south';

/** One command of an operator or one delivery, in the order in which they happen. Runs have an as-of date. */
export type Step =
  | { readonly kind: 'import'; readonly payments: readonly Cells[] }
  | { readonly kind: 'deliver'; readonly file: DeliveredFile }
  | { readonly kind: 'run'; readonly asOf: string; readonly failOn?: FailOn }
  | {
      readonly kind: 'rerun';
      readonly from: string;
      readonly to: string;
      readonly asOf: string;
      readonly failOn?: FailOn;
    }
  | { readonly kind: 'withdraw'; readonly file: string }
  | { readonly kind: 'restore'; readonly file: string }
  | { readonly kind: 'accept'; readonly choice: number }
  | { readonly kind: 'wait'; readonly choice: number; readonly days: number }
  /** A record without one payment is linked to the payment; a matched one is taken from its own. */
  | { readonly kind: 'link'; readonly choice: number; readonly payment: number }
  | { readonly kind: 'unlink'; readonly choice: number }
  /** Which of two deliveries of a record counts. */
  | { readonly kind: 'supersede' | 'keep-both'; readonly choice: number }
  /** All open items of a code are accepted. */
  | { readonly kind: 'accept-all'; readonly code: string }
  /** A rejected row is given back with valid cells. */
  | { readonly kind: 'correct'; readonly choice: number }
  /** The second person of an accept, who may be the first one by mistake. */
  | { readonly kind: 'approve'; readonly choice: number; readonly by: 'oracle' | 'second' };

/** What `--fail-on` says (design 5). */
export type FailOn = 'error' | 'warning' | 'info' | 'new:error' | 'new:warning' | 'new:info';

/** What the oracle does not know: with these steps, two installations are compared with each other. */
export type OtherStep =
  /** The data is divided over shards, where there are some. */
  | { readonly kind: 'divide' }
  /** A chargeback is booked by hand, or one of those that there are is reversed: without an amount, what is left. */
  | { readonly kind: 'book' | 'reverse'; readonly choice: number; readonly amount?: string }
  /** The latest decision about an item is taken back. */
  | { readonly kind: 'undo'; readonly choice: number }
  | { readonly kind: 'assign' | 'note'; readonly choice: number }
  /** Two rows of the sheet of open items are filled in with this word, and the sheet is given back. */
  | { readonly kind: 'sheet'; readonly choice: number; readonly word: SheetWord; readonly isDry: boolean }
  /** A file that counts is withdrawn, or one that was withdrawn is restored. */
  | { readonly kind: 'withdraw-one' | 'restore-one'; readonly choice: number }
  /** A stored payment is imported with another amount. */
  | { readonly kind: 'change'; readonly choice: number; readonly how?: '--allow-changes' | '--dry-run' }
  /** The reports of an earlier run, or of some days, are written again. */
  | { readonly kind: 'report'; readonly choice: number }
  | { readonly kind: 'report-days'; readonly from: string; readonly to: string }
  /** What a command would do is shown, and nothing is changed. */
  | { readonly kind: 'dry-run'; readonly of: 'run' | 'rerun' | 'decide' | 'purge' }
  /** Files are fetched before some days are matched again. */
  | { readonly kind: 'rerun-fetch'; readonly from: string; readonly to: string }
  /** A question that changes nothing. */
  | { readonly kind: 'ask'; readonly question: number; readonly choice: number }
  /** Much later, what is old is removed. */
  | { readonly kind: 'purge' };

/** What the cell `Decision` of a sheet says. */
export type SheetWord = 'accept' | 'wait' | 'undo' | 'unlink' | 'nonsense';

/** A story that recon and the oracle both live through, or two installations of recon. */
export interface World<S extends Step | OtherStep = Step> {
  readonly seed: number;
  readonly settings: Settings;
  readonly steps: readonly S[];
}

/** The settings that a world runs with; all others have their defaults. */
export interface Settings {
  readonly settlementDueDays: number;
  readonly lookbackDays: number;
  /** IANA time zone of the days of payments. */
  readonly timezone: string;
  readonly maxPaymentsPerKey: number;
  /** Of an AMOUNT_MISMATCH in EUR, in hundredths (design 4.6). */
  readonly tolerance: number;
  /** The names of brands in files, and in payments. */
  readonly brandAliases: Readonly<Record<string, string>>;
  /** An accept of more EUR than this at risk, in hundredths, waits for a second person (design 4.9). */
  readonly fourEyesAbove: number;
  readonly corrections: Readonly<Record<SourceName, 'ask' | 'replace' | 'add'>>;
}

/** Before all records. */
export const firstDay = '2026-10-01';

/** The day before or after a calendar day. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
