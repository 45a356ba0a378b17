import type {
  AppliedWithdrawal,
  ExpectedDelivery,
  FileOutcome,
  ItemCounts,
  MatchingCounts,
  OutcomeError,
  ReportPaths,
  RunOutcome,
  SourceOutcome,
  UnreportedOutcome,
} from '../outcome.js';
import { inFixedOrder, type FixedOrder } from './fixed-order.js';
import type { ControlTotal } from './totals/control-totals.js';
import { byBytes } from '../values/by-bytes.js';
import { jsonPieces } from './folder/json-pieces.js';
import { summaryTotals, type ScopeTotals } from './totals/totals-document.js';

/** What the summary says about money. */
export interface SummaryTotals {
  readonly controlTotals: Iterable<ControlTotal>;
  readonly totals: ScopeTotals;
}

/**
 * `summary.json`: the `--json` document (design 5) with control totals, in pieces: thousands of files with many
 * merchant accounts each have a hundred thousand control totals, which are 47 MB of text. Every member is listed in its
 * order, because an outcome that was read from the database has lost its order.
 */
export function serializeSummary(
  outcome: UnreportedOutcome & Pick<RunOutcome, 'discrepancies'>,
  reports: ReportPaths,
  { controlTotals, totals }: SummaryTotals,
): Iterable<string> {
  const { withdrawals } = outcome;
  return jsonPieces({
    runId: outcome.runId,
    kind: outcome.kind,
    asOf: outcome.asOf,
    status: outcome.status,
    exitCode: outcome.exitCode,
    error: outcome.error,
    notices: outcome.notices,
    sources: inFixedOrder(outcome.sources, sourceOrder),
    files: inFixedOrder(outcome.files, fileOrder),
    matching: inFixedOrder(outcome.matching, matchingOrder),
    chargebacks: inFixedOrder(outcome.chargebacks, { assigned: true, reversed: true }),
    discrepancies: discrepanciesInOrder(outcome.discrepancies),
    items: inFixedOrder(outcome.items, itemOrder),
    expected: inFixedOrder(outcome.expected, expectedOrder),
    withdrawals: withdrawals === undefined ? undefined : inFixedOrder(withdrawals, withdrawalOrder),
    reports: inFixedOrder(reports, reportOrder),
    totals: summaryTotals(totals),
    controlTotals,
  });
}

const errorOrder: FixedOrder<OutcomeError> = { code: true, message: true };

const sourceOrder: FixedOrder<SourceOutcome> = { name: true, status: true, error: errorOrder };

const fileOrder: FixedOrder<FileOutcome> = {
  source: true,
  name: true,
  sha256: true,
  status: true,
  error: errorOrder,
  rows: { total: true, accepted: true, rejected: true, alreadyKnown: true },
  note: true,
  packedIn: true,
};

const matchingOrder: FixedOrder<MatchingCounts> = {
  MATCHED: true,
  MULTIPLE_MATCHES: true,
  NOT_MATCHED: true,
  NOT_APPLICABLE: true,
};

const itemOrder: FixedOrder<ItemCounts> = {
  open: true,
  new: true,
  resolved: true,
  waiting: true,
  accepted: true,
  lapsed: true,
  newBySeverity: { error: true, warning: true, info: true },
};

const expectedOrder: FixedOrder<ExpectedDelivery> = {
  source: true,
  date: true,
  status: true,
  due: true,
  files: true,
  problems: true,
  filePattern: true,
};

const withdrawalOrder: FixedOrder<AppliedWithdrawal> = {
  status: true,
  source: true,
  name: true,
  sha256: true,
  records: true,
  by: true,
  reason: true,
};

const reportOrder: FixedOrder<ReportPaths> = {
  directory: true,
  discrepancies: true,
  rejectedRows: true,
  chargebacks: true,
  totals: true,
  reconciled: true,
  summary: true,
  manifest: true,
  openItems: true,
  openItemsXlsx: true,
  page: true,
  corrections: true,
};

type Discrepancies = RunOutcome['discrepancies'];

function discrepanciesInOrder({
  total,
  byCode,
  amounts,
  withinTolerance,
}: Discrepancies): Record<keyof Discrepancies, unknown> {
  const amountOrder = { currency: true, count: true, amount: true } as const;
  return {
    total,
    byCode: Object.fromEntries(Object.entries(byCode).sort(([a], [b]) => byBytes(a, b))),
    amounts: inFixedOrder(amounts, { code: true, ...amountOrder }),
    withinTolerance: withinTolerance === undefined ? undefined : inFixedOrder(withinTolerance, amountOrder),
  };
}
