import type { FileOutcome, OutcomeError, ReportPaths, RunOutcome, UnreportedOutcome } from '../outcome.js';
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
 * merchant accounts each have a hundred thousand control totals, which are 47 MB of text. Every key is listed here in
 * its order, because an outcome that was read from the database has lost its order.
 */
export function serializeSummary(
  outcome: UnreportedOutcome & Pick<RunOutcome, 'discrepancies'>,
  reports: ReportPaths,
  { controlTotals, totals }: SummaryTotals,
): Iterable<string> {
  const { matching, chargebacks, discrepancies, items } = outcome;
  return jsonPieces({
    runId: outcome.runId,
    kind: outcome.kind,
    asOf: outcome.asOf,
    status: outcome.status,
    exitCode: outcome.exitCode,
    error: inOrder(outcome.error),
    ...(outcome.notices === undefined ? {} : { notices: outcome.notices }),
    sources: outcome.sources.map(({ name, status, error }) => ({ name, status, error: inOrder(error) })),
    files: outcome.files.map(fileInOrder),
    matching: {
      MATCHED: matching.MATCHED,
      MULTIPLE_MATCHES: matching.MULTIPLE_MATCHES,
      NOT_MATCHED: matching.NOT_MATCHED,
      NOT_APPLICABLE: matching.NOT_APPLICABLE,
    },
    chargebacks: { assigned: chargebacks.assigned, reversed: chargebacks.reversed },
    discrepancies: discrepanciesInOrder(discrepancies),
    items: {
      open: items.open,
      new: items.new,
      resolved: items.resolved,
      waiting: items.waiting,
      accepted: items.accepted,
      lapsed: items.lapsed,
      newBySeverity: {
        error: items.newBySeverity.error,
        warning: items.newBySeverity.warning,
        info: items.newBySeverity.info,
      },
    },
    expected: outcome.expected.map(({ source, date, status, due, files, problems }) => ({
      source,
      date,
      status,
      due,
      files,
      problems,
    })),
    ...(outcome.withdrawals === undefined
      ? {}
      : {
          withdrawals: outcome.withdrawals.map(({ status, source, name, sha256, records, by, reason }) => ({
            status,
            source,
            name,
            sha256,
            records,
            by,
            reason,
          })),
        }),
    reports: reportsInOrder(reports),
    totals: summaryTotals(totals),
    controlTotals,
  });
}

function reportsInOrder(reports: ReportPaths): ReportPaths {
  return {
    directory: reports.directory,
    discrepancies: reports.discrepancies,
    rejectedRows: reports.rejectedRows,
    chargebacks: reports.chargebacks,
    totals: reports.totals,
    reconciled: reports.reconciled,
    summary: reports.summary,
    manifest: reports.manifest,
    openItems: reports.openItems,
    openItemsXlsx: reports.openItemsXlsx,
    page: reports.page,
    corrections: reports.corrections,
  };
}

function fileInOrder({ source, name, sha256, status, error, rows, note }: FileOutcome): FileOutcome {
  const { total, accepted, rejected, alreadyKnown } = rows;
  return {
    source,
    name,
    sha256,
    status,
    error: inOrder(error),
    rows: { total, accepted, rejected, alreadyKnown },
    ...(note === undefined ? {} : { note }),
  };
}

function inOrder(error: OutcomeError | null): OutcomeError | null {
  return error === null ? null : { code: error.code, message: error.message };
}

function discrepanciesInOrder({
  total,
  byCode,
  amounts,
  withinTolerance,
}: RunOutcome['discrepancies']): RunOutcome['discrepancies'] {
  return {
    total,
    byCode: Object.fromEntries(Object.entries(byCode).sort(([a], [b]) => byBytes(a, b))),
    amounts: amounts.map(({ code, currency, count, amount }) => ({ code, currency, count, amount })),
    ...(withinTolerance === undefined
      ? {}
      : {
          withinTolerance: withinTolerance.map(({ currency, count, amount }) => ({
            currency,
            count,
            amount,
          })),
        }),
  };
}
