import { errorCatalogue, exitCodes, ReconError } from '../../errors.js';
import type { ReportDelivery } from '../../outcome.js';
import { reportFolderName } from '../../run/report-folder-name.js';
import { deliverReports, requestDeliveryAgain } from '../../run/deliver-reports.js';
import { runIdOption } from '../command-arguments.js';
import type { Paint } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { alertsOf } from '../open-alerts.js';
import { printable } from '../text/printable.js';

/** Delivers what waits; what is there already is not sent again. */
export const reportsDeliver: RunCommand = async (context, _args, options) => {
  if (context.config().reports.deliverTo.length === 0) {
    throw new ReconError(
      'CONFIG_INVALID',
      'No place to deliver reports to is configured (reports.deliverTo).',
    );
  }
  const runContext = await context.runContext();
  const runId = runIdOption(options);
  if (runId !== null) await requestDeliveryAgain(runContext, reportFolderName(runId));
  const deliveries = await deliverReports(runContext);
  await alertsOf(context)?.afterDelivery(runContext.database.sql, deliveries);
  const failed = deliveries.flatMap(({ error }) =>
    error === null ? [] : [errorCatalogue[error.code].exitCode],
  );
  const exitCode = Math.max(exitCodes.done, ...failed);
  context.print(
    { exitCode, deliveries },
    (paint) =>
      deliveries.length === 0
        ? 'No report waits to be delivered.'
        : deliveries.map((each) => line(each, paint)).join('\n'),
    deliveries.flatMap(({ target, folder, error }) =>
      error === null ? [] : [`${folder} waits for ${target}: ${error.message} (${error.code})`],
    ),
  );
  return exitCode;
};

function line({ target, folder, error }: ReportDelivery, paint: Paint): string {
  return error === null
    ? `${paint('good', 'delivered')}  ${folder} to ${target}`
    : `${paint('bad', 'waiting  ')}  ${folder} to ${target}: ${printable(error.message)} (${error.code})`;
}
