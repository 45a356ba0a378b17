import { ReconError } from '../../errors.js';
import { writeReports } from '../../run/write-reports.js';
import { countOption, rangeOptions, textOption } from '../command-arguments.js';
import { failOnOption, finishRun } from '../finish-run.js';
import type { RunCommand } from '../program.js';

export const report: RunCommand = async (context, _args, options) => {
  const range = rangeOptions(options);
  const runId = textOption(options, 'run') === null ? null : countOption(options, 'run', 0);
  if (range !== null && runId !== null)
    throw new ReconError('USAGE_INVALID', '--run and --from/--to exclude each other.');
  const failOn = failOnOption(options);
  const outcome = await writeReports(await context.runContext(), range ?? { runId });
  // Rejected files and unreadable sources were the run's to tell; this command only wrote.
  return finishRun(context, { ...outcome, exitCode: 0 }, failOn);
};
