import type { Tx } from '../../db/client.js';
import type { DueSettings, RunScope } from '../../db/run-scope.js';
import type { RunTotals } from '../../outcome.js';
import { sumAcceptedRows } from './control-totals.js';
import { moneyTotals } from './money-totals.js';
import { rejectedAmounts } from './rejected-amounts.js';
import { runTotals } from './totals-document.js';

/** The totals of a scope for a run that publishes no reports; otherwise the reports bring them. */
export async function readTotals(tx: Tx, scope: RunScope, due: DueSettings): Promise<RunTotals> {
  const { sums } = await sumAcceptedRows(tx, scope);
  return runTotals({ money: moneyTotals(sums), rejected: await rejectedAmounts(tx, scope, due) });
}
