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
  | { readonly kind: 'run'; readonly asOf: string }
  | { readonly kind: 'rerun'; readonly from: string; readonly to: string; readonly asOf: string }
  | { readonly kind: 'withdraw'; readonly file: string }
  | { readonly kind: 'restore'; readonly file: string }
  | { readonly kind: 'accept'; readonly choice: number }
  | { readonly kind: 'wait'; readonly choice: number; readonly days: number }
  /** A record without one payment is linked to the payment; a matched one is taken from its own. */
  | { readonly kind: 'link'; readonly choice: number; readonly payment: number }
  | { readonly kind: 'unlink'; readonly choice: number };

/** A story that recon and the oracle both live through. */
export interface World {
  readonly seed: number;
  readonly steps: readonly Step[];
}

/** The settings that a world runs with; all others have their defaults. */
export const settings = { settlementDueDays: 5, lookbackDays: 60, maxPaymentsPerKey: 3 } as const;

/** The day before or after a calendar day. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
