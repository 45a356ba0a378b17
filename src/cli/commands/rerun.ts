import { ReconError } from '../../errors.js';
import { rerunRange } from '../../run/rerun-range.js';
import { dateOption, rangeOptions } from '../command-arguments.js';
import { failOnOption, finishRun } from '../finish-run.js';
import type { RunCommand } from '../program.js';

export const rerun: RunCommand = async (context, _args, options) => {
  const range = rangeOptions(options);
  if (range === null) throw new ReconError('USAGE_INVALID', 'rerun needs --from DATE and --to DATE.');
  const request = {
    ...range,
    fetch: options['fetch'] === true,
    asOf: dateOption(options, 'asOf'),
    dryRun: options['dryRun'] === true,
  };
  const failOn = failOnOption(options);
  return finishRun(context, await rerunRange(await context.runContext(), request), failOn);
};
