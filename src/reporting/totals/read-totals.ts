import type { Tx } from '../../db/client.js';
import type { DueSettings, RunScope } from '../../db/run-scope.js';
import type { RunTotals } from '../../outcome.js';
import { sumAcceptedRows } from './sum-accepted-rows.js';
import { rejectedAmounts } from './rejected-amounts.js';
import { runTotals } from './totals-document.js';

/** The totals of a scope for a run that publishes no reports; otherwise the reports bring them. */
export async function readTotals(tx: Tx, scope: RunScope, due: DueSettings): Promise<RunTotals> {
  const { money } = await sumAcceptedRows(tx, scope);
  return runTotals({ money, rejected: await rejectedAmounts(tx, scope, due) });
}
