import type { Tx } from '../../src/db/client.js';
import type { RunScope } from '../../src/db/run-scope.js';
import { closedItems } from '../../src/items/closed-items.js';
import { readItems } from '../../src/items/list-items.js';
import { countDiscrepancies } from '../../src/reporting/count-discrepancies.js';
import { countResults } from '../../src/reporting/count-results.js';
import { readEarlierRuns } from '../../src/reporting/page/read-runs.js';
import { chargebacksTable, readChargebacks } from '../../src/reporting/tables/chargebacks-table.js';
import { discrepanciesTable } from '../../src/reporting/tables/discrepancies-table.js';
import { rejectedRowsTable } from '../../src/reporting/tables/rejected-rows-table.js';
import { sumAcceptedRows } from '../../src/reporting/totals/sum-accepted-rows.js';
import { DiscrepancyTally } from '../../src/reporting/totals/discrepancy-tally.js';
import { runId } from '../../src/values/ids.js';
import { settings } from '../matching/findings.js';

/** Reads what a report on these records contains, to its end. */
export async function readReport(
  tx: Tx,
  scope: RunScope,
  { asOf, lookbackDays, run }: { readonly asOf: string; readonly lookbackDays: number; readonly run: number },
): Promise<void> {
  const due = { ...settings, lookbackDays };
  const format = { delimiter: ';', decimalSeparator: '.' } as const;
  await countResults(tx, scope);
  await countDiscrepancies(tx, scope, due);
  await sumAcceptedRows(tx, scope);
  for (const { rows } of [
    discrepanciesTable(tx, { scope, due, format, tally: new DiscrepancyTally() }),
    chargebacksTable(readChargebacks(tx, scope)),
    rejectedRowsTable(tx, { scope, due, files: [] }),
  ]) {
    for await (const _batch of rows);
  }
  for await (const _batch of readItems(tx, { asOf, timezone: settings.timezone }));
  await closedItems(tx, { asOf, timezone: settings.timezone }, runId(run));
  await readEarlierRuns(tx, runId(run));
}
