import { exitCodes } from '../../errors.js';
import { writeReports } from '../../run/write-reports.js';
import { dateOption, rangeOptions, runIdOption, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { failOnOption } from '../fail-on.js';
import { finishRun } from '../finish-run.js';

/** Writes the reports of a run or of a range again. */
export const report: RunCommand = async (context, _args, options) => {
  const range = rangeOptions(options);
  const runId = runIdOption(options);
  if (range !== null && runId !== null) throw usageError('--run and --from/--to cannot be combined.');
  const asOf = dateOption(options, 'asOf');
  if (range === null && asOf !== null) {
    throw usageError('--as-of needs --from and --to: the report of a run is as of the day of that run.');
  }
  const failOn = failOnOption(options);
  if (range !== null && failOn?.onlyNew === true) {
    throw usageError('--fail-on new: needs a run: a range of days finds nothing for the first time.');
  }
  const outcome = await writeReports(
    await context.runContext(),
    range === null ? { runId } : { ...range, asOf },
  );
  // Rejected files and unreadable sources were reported by the run; this command only writes reports.
  return finishRun(context, { ...outcome, exitCode: exitCodes.done }, failOn);
};
