import type { DueSettings, RunScope } from '../../src/db/run-scope.js';
import { noItems } from '../../src/outcome.js';
import type { ReportPaths, UnreportedOutcome } from '../../src/outcome.js';
import { runId } from '../../src/values/ids.js';

/** What the tests report on when they do not say otherwise; apart from the world, for a process without one. */
export const due: DueSettings = { timezone: 'UTC', settlementDueDays: 5, lookbackDays: 60 };
export const runScope: RunScope = { kind: 'run', runId: runId(1), asOf: '2026-11-20' };

export const outcome: UnreportedOutcome = {
  runId: runId(1),
  kind: 'run',
  asOf: '2026-11-20',
  status: 'completed',
  exitCode: 0,
  error: null,
  sources: [],
  files: [],
  matching: { MATCHED: 0, MULTIPLE_MATCHES: 0, NOT_MATCHED: 0, NOT_APPLICABLE: 0 },
  chargebacks: { assigned: 0, reversed: 0 },
  items: noItems,
  expected: [],
};

/** Within the folder of a report without settlement files. */
export const reportNames: ReportPaths = {
  directory: '.',
  discrepancies: 'discrepancies.csv',
  rejectedRows: 'rejected-rows.csv',
  chargebacks: 'chargebacks.csv',
  totals: 'totals.csv',
  reconciled: [],
  summary: 'summary.json',
  manifest: 'manifest.json',
  openItems: 'open-items.csv',
  openItemsXlsx: 'open-items.xlsx',
  page: 'page.html',
  corrections: 'corrections.csv',
};
