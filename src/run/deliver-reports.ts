import path from 'node:path';
import { deliverWaitingReports } from '../delivery/deliver-waiting-reports.js';
import { requestDelivery } from '../delivery/stored-deliveries.js';
import { toReconError } from '../db/database-errors.js';
import type { Sql, Tx } from '../db/client.js';
import { onDisk } from '../disk/disk-errors.js';
import { statIfThere } from '../disk/unless-missing.js';
import { messageOf, ReconError } from '../errors.js';
import type { ReportDelivery, ReportPaths, RunOutcome } from '../outcome.js';
import type { RunContext } from './run-context.js';

/** The parts of a context that a delivery needs. */
export type DeliveringContext = Pick<
  RunContext,
  | 'database'
  | 'deliverTo'
  | 'dataDirectory'
  | 'reportFileMode'
  | 'logger'
  | 'clock'
  | 'random'
  | 'sleep'
  | 'signal'
>;

/** Notes that a published report is to be delivered to every configured place. */
export async function requestDeliveries(
  sql: Sql | Tx,
  { deliverTo, clock }: Pick<RunContext, 'deliverTo' | 'clock'>,
  reports: ReportPaths | null,
): Promise<void> {
  if (reports === null) return;
  const names = deliverTo.map(({ name }) => name);
  await requestDelivery(sql, names, path.basename(reports.directory), clock());
}

/**
 * Notes that a report folder is to be delivered again.
 *
 * @throws ReconError RUN_NOT_FOUND if there is no such folder
 */
export async function requestDeliveryAgain(context: DeliveringContext, folder: string): Promise<void> {
  const directory = path.join(context.dataDirectory, 'reports', folder);
  const found = await onDisk(`read ${directory}`, () => statIfThere(directory));
  if (found === undefined) {
    throw new ReconError(
      'RUN_NOT_FOUND',
      `There is no report folder ${folder} here; recon report writes the report of a run again and delivers it.`,
    );
  }
  const names = context.deliverTo.map(({ name }) => name);
  await requestDelivery(context.database.sql, names, folder, context.clock());
}

/**
 * Delivers the reports that wait.
 *
 * @throws ReconError for a failure of the database
 */
export function deliverReports(context: DeliveringContext): Promise<ReportDelivery[]> {
  return deliverWaitingReports({
    ...context,
    sql: context.database.sql,
    targets: context.deliverTo,
    reportsDirectory: path.join(context.dataDirectory, 'reports'),
    fileMode: context.reportFileMode,
  });
}

/**
 * Delivers the reports that wait, after a run that published one. A failure is added to the outcome as a notice and
 * changes nothing else: the report is complete here, and the next run tries again.
 */
export async function deliverAfter<Outcome extends RunOutcome>(
  context: DeliveringContext,
  outcome: Outcome,
): Promise<Outcome> {
  if (context.deliverTo.length === 0 || outcome.reports === null) return outcome;
  try {
    const deliveries = await deliverReports(context);
    const notices = [...(outcome.notices ?? []), ...noticesOf(deliveries)];
    return { ...outcome, ...(notices.length === 0 ? {} : { notices }), deliveries };
  } catch (thrown) {
    const message = `The reports could not be delivered: ${toReconError(thrown)?.message ?? messageOf(thrown)} The next run tries again.`;
    context.logger.warn({ err: thrown }, message);
    return { ...outcome, notices: [...(outcome.notices ?? []), message], deliveries: [] };
  }
}

/** A sentence for each place for which a report waits. */
function noticesOf(deliveries: readonly ReportDelivery[]): string[] {
  const waiting = deliveries.filter(({ status }) => status === 'waiting');
  return [...new Set(waiting.map(({ target }) => target))].map((target) => {
    const reports = waiting.filter((each) => each.target === target);
    const [first] = reports;
    const what = reports.length === 1 ? `The report ${first?.folder ?? ''}` : `${reports.length} reports`;
    return `${what} could not be delivered to ${target}: ${first?.error?.message ?? ''} The next run tries again, or recon reports deliver.`;
  });
}
