import { rerunRange } from '../../run/rerun-range.js';
import { dateOption, isGiven, rangeOptions, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { failOnOption } from '../fail-on.js';
import { observeRun } from '../observe-run.js';

/** Matches and reports the stored records of a range again. */
export const rerun: RunCommand = async (context, _args, options) => {
  const range = rangeOptions(options);
  if (range === null) throw usageError('rerun needs --from DATE and --to DATE.');
  const request = {
    ...range,
    fetch: isGiven(options, 'fetch'),
    asOf: dateOption(options, 'asOf'),
    dryRun: isGiven(options, 'dryRun'),
  };
  const failOn = failOnOption(options);
  const work = async () => rerunRange(await context.runContext(), request);
  return observeRun(context, { failOn, dryRun: request.dryRun, work });
};
