import path from 'node:path';
import { allDone } from '../all-done.js';
import { readAuditHead } from '../db/audit-log/audit-head.js';
import type { Tx } from '../db/client.js';
import type { Transact } from '../db/fence.js';
import { shareSnapshot, type ReadBeside } from '../db/read-beside.js';
import { failPoint } from '../fail-point.js';
import type { ReportPaths, RunOutcome, RunTotals } from '../outcome.js';
import type { FileId } from '../values/ids.js';
import type { AcceptedTotals } from './totals/accepted-totals.js';
import { DiscrepancyTally } from './totals/discrepancy-tally.js';
import type { BegunReport } from './early-reconciled-files.js';
import { manifestName, type TableTotal } from './folder/manifest.js';
import { openItemsTable } from './tables/open-items-table.js';
import { workbookName } from './workbook/open-items-workbook.js';
import { beginWorkbook } from './workbook/begin-workbook.js';
import { ChargebackTally } from './page/tally-chargebacks.js';
import { ItemTally } from './page/tally-items.js';
import { pageName, writePage } from './page/write-page.js';
import { planForMillions } from '../db/plan-for-millions.js';
import { withoutWorkers } from './without-workers.js';
import type { PublishRequest } from './publish-request.js';
import { recoverReports, StagedFolder, type ReportFolder } from './folder/report-folder.js';
import { stopReportIfAborted, untilAborted } from './stop-report-if-aborted.js';
import { serializeSummary } from './summary.js';
import { runTotals } from './totals/totals-document.js';
import { writeOtherTables } from './write-other-tables.js';
import { checkReconciled, writeReconciled } from './reconciled/write-reconciled.js';
import { spreadsheetRows, writeTable } from './tables/write-table.js';

/** What a run returns about its reports. */
export interface PublishedReports {
  /** Absolute paths; the first one of a report in several parts. */
  readonly reports: ReportPaths;
  readonly totals: RunTotals;
  /** Those of `discrepancies.csv`. */
  readonly discrepancies: RunOutcome['discrepancies'];
}

/**
 * Writes every report of a scope (design 6) and publishes them as one folder. Everything is read from
 * one snapshot; pass a `transact` of isolation level repeatable read if others may write meanwhile. The same stored
 * facts and findings give the same bytes. After a failure nothing is published, and an earlier report stays.
 *
 * @throws ReconError DISK_FULL, DISK_FAILED (also for a damaged archive), CONTROL_TOTALS_DISAGREE,
 * RUN_INTERRUPTED; failures of the database as the driver throws them.
 */
export async function publishReports(transact: Transact, request: PublishRequest): Promise<PublishedReports> {
  failPoint('publish.before');
  await recoverReports(request.reportsDirectory, request.fileMode);
  let staged: StagedFolder | undefined;
  try {
    const { names, totals, discrepancies } = await transact(async (tx) => {
      // The transaction may be repeated; the files of the first attempt must not mix with those of the second.
      await staged?.discard();
      const { reportsDirectory, folderName, fileMode, early } = request;
      const begun = early?.take() ?? null;
      staged = begun?.folder ?? (await StagedFolder.create(reportsDirectory, folderName, fileMode));
      const written = await writeAll(tx, staged, request, begun);
      await staged.seal(written.tables, await readAuditHead(tx));
      return written;
    });
    stopReportIfAborted(request.signal);
    await staged?.publish();
    failPoint('publish.after');
    const directory = path.join(request.reportsDirectory, request.folderName);
    return { reports: withDirectory(names, directory), totals, discrepancies };
  } catch (thrown) {
    await staged?.discard();
    // The second connection is closed then, and its failure would hide the reason.
    stopReportIfAborted(request.signal);
    throw thrown;
  }
}

/** Every report of a folder that is not published yet. */
interface WrittenReports {
  /** Within the folder. */
  readonly names: ReportPaths;
  readonly totals: RunTotals;
  readonly discrepancies: RunOutcome['discrepancies'];
  /** For the manifest. */
  readonly tables: Record<string, TableTotal>;
}

const namesInFolder: Omit<ReportPaths, 'reconciled'> = {
  directory: '.',
  discrepancies: 'discrepancies.csv',
  rejectedRows: 'rejected-rows.csv',
  chargebacks: 'chargebacks.csv',
  totals: 'totals.csv',
  summary: 'summary.json',
  manifest: manifestName,
  openItems: 'open-items.csv',
  openItemsXlsx: workbookName,
  page: pageName,
  corrections: 'corrections.csv',
};

/**
 * The report is written on two connections with the same snapshot, so that the server works for one list while this
 * process writes another: the reconciled files and then the open items on the first, everything else on the second.
 * When one list was written after the other, the report of 63,000 findings waited for the server for 1.5 of its 8.6
 * seconds.
 */
async function writeAll(
  tx: Tx,
  folder: ReportFolder,
  request: PublishRequest,
  begun: BegunReport | null,
): Promise<WrittenReports> {
  const shared = await shareSnapshot(tx, request.sql, request.signal);
  const readBeside: ReadBeside = shared ?? ((work) => work(tx));
  const accepted = promised<AcceptedTotals>();
  const chargebacks = new ChargebackTally();
  const tally = new DiscrepancyTally();
  const tables = readBeside((other) =>
    writeOtherTables(other, folder, request, { accepted, chargebacks, tally, sumsFirst: begun === null }),
  );
  tables.catch((thrown: unknown) => {
    accepted.reject(thrown);
  });
  if (shared === null) await tables;
  await planForMillions(tx);
  const reconciledRequest = {
    ...request,
    stopIfAborted: () => {
      stopReportIfAborted(request.signal);
    },
    stored: async (file: FileId) => (await accepted.promise).byFile.get(file),
  };
  const writeFirst = async () => {
    const reconciled = begun?.reconciled ?? (await writeReconciled(tx, folder, reconciledRequest));
    const openItems = await withoutWorkers(tx, () => writeOpenItems(tx, folder, request));
    return { reconciled: await checkReconciled(reconciled, reconciledRequest), openItems };
  };
  const [{ reconciled, openItems }, { totals, written }] = await allDone([writeFirst(), tables]);
  await writePage(tx, folder, { request, totals, tallies: { items: openItems.tally, chargebacks } });
  const names: ReportPaths = { ...namesInFolder, reconciled: reconciled.names };
  const discrepancies = tally.counts();
  const outcome = { ...request.outcome, asOf: request.scope.asOf, discrepancies };
  const { controlTotals } = await accepted.promise;
  const summary = await folder.create(names.summary);
  for (const piece of serializeSummary(outcome, names, { controlTotals, totals })) await summary.write(piece);
  await folder.finish(summary, null);
  return {
    names,
    totals: runTotals(totals),
    discrepancies,
    tables: { reconciled: reconciled.total, 'open-items': openItems.total, ...written },
  };
}

/** A promise that other code resolves or rejects. If nobody awaits it, its rejection does not count as unhandled. */
function promised<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((keep, refuse) => {
    resolve = keep;
    reject = refuse;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/**
 * The table of open items, the workbook of the same rows, and their sums for the page, from one pass over the items.
 */
async function writeOpenItems(
  tx: Tx,
  folder: ReportFolder,
  { openItems, outcome, format, signal, threadStarted, rowLimit = spreadsheetRows }: PublishRequest,
): Promise<{ total: TableTotal; tally: ItemTally }> {
  stopReportIfAborted(signal);
  const tally = new ItemTally(outcome.runId);
  const expected = outcome.items.open + outcome.items.waiting;
  const workbook = beginWorkbook(folder, { rowLimit, expected, threadStarted });
  try {
    const items = tally.watch(workbook.taking(untilAborted(openItems(tx), signal)));
    const total = await writeTable(folder, openItemsTable(items, format), { rowLimit, format });
    await workbook.finish();
    return { total, tally };
  } finally {
    await workbook.close();
  }
}

function withDirectory(names: ReportPaths, directory: string): ReportPaths {
  const inside = (name: string) => path.join(directory, name);
  return {
    directory,
    discrepancies: inside(names.discrepancies),
    rejectedRows: inside(names.rejectedRows),
    chargebacks: inside(names.chargebacks),
    totals: inside(names.totals),
    reconciled: names.reconciled.map(inside),
    summary: inside(names.summary),
    manifest: inside(names.manifest),
    openItems: inside(names.openItems),
    openItemsXlsx: inside(names.openItemsXlsx),
    page: inside(names.page),
    corrections: inside(names.corrections),
  };
}
