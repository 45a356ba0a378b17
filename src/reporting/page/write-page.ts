import type { Tx } from '../../db/client.js';
import type { RunScope } from '../../db/run-scope.js';
import type { ClosedItems } from '../../findings/item-ages.js';
import { workbookName } from '../workbook/open-items-workbook.js';
import type { ReportFolder } from '../folder/report-folder.js';
import type { UnreportedOutcome } from '../../outcome.js';
import type { ScopeTotals } from '../totals/totals-document.js';
import { renderPage } from './page.js';
import type { ChartedRun, PageHeading, PageModel } from './page-model.js';
import { readEarlierRuns } from './read-runs.js';
import type { ChargebackTally } from './tally-chargebacks.js';
import type { ItemTally } from './tally-items.js';

/** The name of the morning page in the report folder. */
export const pageName = 'page.html';

/** What was added up while the tables were written. */
export interface PageTallies {
  readonly items: ItemTally;
  readonly chargebacks: ChargebackTally;
}

/** What the page is made of. */
interface PageSources {
  readonly request: {
    readonly scope: RunScope;
    readonly outcome: UnreportedOutcome;
    readonly closedItems: (tx: Tx) => Promise<ClosedItems>;
  };
  readonly totals: ScopeTotals;
  readonly tallies: PageTallies;
}

/** Writes `page.html`. The tables of open items and chargebacks must be written by then. */
export async function writePage(tx: Tx, folder: ReportFolder, page: PageSources): Promise<void> {
  const { request, totals, tallies } = page;
  const { outcome, scope } = request;
  const model: PageModel = {
    heading: headingOf(scope, outcome),
    notices: outcome.notices ?? [],
    sources: outcome.sources,
    files: outcome.files,
    withdrawals: outcome.withdrawals ?? [],
    expected: outcome.expected,
    totals,
    counts: outcome.items,
    items: tallies.items.totals(),
    closed: await request.closedItems(tx),
    chargebacks: tallies.chargebacks.totals(),
    runs: [...(await readEarlierRuns(tx, outcome.runId)), ...thisRun(outcome)],
    links: {
      openItems: 'open-items.csv',
      workbook: workbookName,
      discrepancies: 'discrepancies.csv',
      rejectedRows: 'rejected-rows.csv',
      corrections: 'corrections.csv',
      chargebacks: 'chargebacks.csv',
      totals: 'totals.csv',
    },
  };
  const file = await folder.create(pageName);
  await file.write(renderPage(model));
  await folder.finish(file, null);
}

function headingOf(scope: RunScope, { runId, kind }: UnreportedOutcome): PageHeading {
  return {
    runId: runId === 0 ? null : runId,
    kind: runId === 0 ? 'range' : kind,
    asOf: scope.asOf,
    range: scope.kind === 'range' ? { from: scope.from, to: scope.to } : null,
  };
}

/** The run of the page is not stored yet. */
function thisRun({ runId, kind, asOf, files, items }: UnreportedOutcome): ChartedRun[] {
  if (runId === 0) return [];
  const rows = files.reduce((sum, file) => sum + file.rows.accepted, 0);
  return [{ runId, kind, asOf, rows, open: items.open, new: items.new, resolved: items.resolved }];
}
