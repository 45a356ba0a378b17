import { runReconciliation } from '../../run/run-reconciliation.js';
import { dateOption, listOption } from '../command-arguments.js';
import { ReconError } from '../../errors.js';
import { finishRun, failOnOption } from '../finish-run.js';
import type { RunCommand } from '../program.js';

export const run: RunCommand = async (context, _args, options) => {
  const sources = listOption(options, 'source');
  const files = listOption(options, 'file');
  if (sources.length > 0 && files.length > 0)
    throw new ReconError('USAGE_INVALID', '--source and --file exclude each other.');
  const request = {
    sources: sources.length === 0 ? null : sources,
    files,
    asOf: dateOption(options, 'asOf'),
    dryRun: options['dryRun'] === true,
  };
  const failOn = failOnOption(options);
  if (files.length === 0 && context.config().sources.length === 0) {
    throw new ReconError(
      'CONFIG_INVALID',
      'No source is configured and no --file is given; there is nothing to fetch.',
    );
  }
  return finishRun(context, await runReconciliation(await context.runContext(), request), failOn);
};
