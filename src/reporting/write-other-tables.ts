import type { Tx } from '../db/client.js';
import { chargebacksTable, readChargebacks } from './tables/chargebacks-table.js';
import type { AcceptedTotals } from './totals/accepted-totals.js';
import { correctionsTable } from './tables/corrections-table.js';
import { discrepanciesTable } from './tables/discrepancies-table.js';
import type { DiscrepancyTally } from './totals/discrepancy-tally.js';
import type { TableTotal } from './folder/manifest.js';
import type { ChargebackTally } from './page/tally-chargebacks.js';
import { planForMillions } from '../db/plan-for-millions.js';
import { withoutWorkers } from './without-workers.js';
import type { PublishRequest } from './publish-request.js';
import { sumAcceptedRows } from './totals/sum-accepted-rows.js';
import { rejectedAmounts } from './totals/rejected-amounts.js';
import { rejectedRowsTable } from './tables/rejected-rows-table.js';
import type { ReportFolder } from './folder/report-folder.js';
import { stopReportIfAborted } from './stop-report-if-aborted.js';
import type { ScopeTotals } from './totals/totals-document.js';
import { totalsTable } from './tables/totals-table.js';
import { spreadsheetRows, writeTable, type Table } from './tables/write-table.js';

/**
 * Every table except the open items. Reconciled files that are still to be written wait for the sums. Otherwise the
 * longest list comes first, so that this process has something to write as soon as possible: with a million rows, the
 * sums take a second.
 */
export async function writeOtherTables(
  tx: Tx,
  folder: ReportFolder,
  request: PublishRequest,
  { accepted, chargebacks, tally, sumsFirst }: OtherTables,
): Promise<{ totals: ScopeTotals; written: Record<string, TableTotal> }> {
  const { scope, due, format } = request;
  await planForMillions(tx);
  const sumUp = async (): Promise<ScopeTotals> => {
    const sums = await sumAcceptedRows(tx, scope, (await request.earlySums?.take()) ?? null);
    accepted.resolve(sums);
    return { money: sums.money, rejected: await rejectedAmounts(tx, scope, due) };
  };
  const early = sumsFirst ? await sumUp() : null;
  const list = await withoutWorkers(tx, () =>
    writeTables(folder, request, [discrepanciesTable(tx, { scope, due, format, tally })]),
  );
  const totals = early ?? (await sumUp());
  const others = await writeTables(folder, request, [
    rejectedRowsTable(tx, { scope, due, files: request.outcome.files }),
    chargebacksTable(chargebacks.watch(readChargebacks(tx, scope))),
    correctionsTable(tx),
    totalsTable(totals.money, totals.rejected),
  ]);
  return { totals, written: { ...list, ...others } };
}

/** What others get from these tables. */
interface OtherTables {
  /** The sums, for those who wait for them. */
  readonly accepted: { readonly resolve: (sums: AcceptedTotals) => void };
  readonly chargebacks: ChargebackTally;
  readonly tally: DiscrepancyTally;
  readonly sumsFirst: boolean;
}

async function writeTables(
  folder: ReportFolder,
  { format, signal, rowLimit = spreadsheetRows }: PublishRequest,
  tables: readonly Table[],
): Promise<Record<string, TableTotal>> {
  const written: Record<string, TableTotal> = {};
  for (const table of tables) {
    stopReportIfAborted(signal);
    written[table.name] = await writeTable(folder, table, { rowLimit, format });
  }
  return written;
}
