import type { ClosedItems } from '../../findings/item-ages.js';
import type {
  AppliedWithdrawal,
  ExpectedDelivery,
  FileOutcome,
  ItemCounts,
  SourceOutcome,
} from '../../outcome.js';
import type { ScopeTotals } from '../totals/totals-document.js';
import type { ChargebackTotals } from './tally-chargebacks.js';
import type { PageItems } from './tally-items.js';

/** Everything that the morning page (design 11) shows. Rendering it is a function of this and nothing else. */
export interface PageModel {
  readonly heading: PageHeading;
  readonly notices: readonly string[];
  readonly sources: readonly SourceOutcome[];
  readonly files: readonly FileOutcome[];
  readonly withdrawals: readonly AppliedWithdrawal[];
  /** Deliveries that had to arrive (design 4.10); empty where no source states any. */
  readonly expected: readonly ExpectedDelivery[];
  readonly totals: ScopeTotals;
  /** As the summary states them. */
  readonly counts: ItemCounts;
  readonly items: PageItems;
  readonly closed: ClosedItems;
  readonly chargebacks: ChargebackTotals;
  /** Oldest first; the last one is the run of the page, unless it belongs to none. */
  readonly runs: readonly ChartedRun[];
  readonly links: PageLinks;
}

/** What the page is about: a run, a re-run, or (without a run) the records of a range of dates. */
export interface PageHeading {
  /** Null for a report that belongs to no run. */
  readonly runId: number | null;
  readonly kind: 'run' | 'rerun' | 'range';
  readonly asOf: string;
  readonly range: { readonly from: string; readonly to: string } | null;
}

/** One completed run in the charts. */
export interface ChartedRun {
  readonly runId: number;
  readonly kind: 'run' | 'rerun';
  readonly asOf: string;
  /** Rows that passed validation. */
  readonly rows: number;
  readonly open: number;
  readonly new: number;
  readonly resolved: number;
}

/** Names of the other reports, relative to the page. */
export interface PageLinks {
  readonly openItems: string;
  readonly workbook: string | null;
  readonly discrepancies: string;
  readonly rejectedRows: string;
  readonly corrections: string;
  readonly chargebacks: string;
  readonly totals: string;
}
