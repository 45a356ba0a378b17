import path from 'node:path';
import { suggestion } from '../../values/closest-name.js';
import { defaultConfigFile } from '../../config/load-config.js';
import { requireSources } from '../../run/require-sources.js';
import { runReconciliation } from '../../run/run-reconciliation.js';
import { dateOption, isGiven, listOption, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { failOnOption } from '../fail-on.js';
import { observeRun } from '../observe-run.js';

/** Fetches what is new, and matches and reports it. */
export const run: RunCommand = async (context, _args, options) => {
  const sources = listOption(options, 'source');
  const files = listOption(options, 'file').map((file) => path.resolve(context.cwd, file));
  if (sources.length > 0 && files.length > 0) throw usageError('--source and --file cannot be combined.');
  const request = {
    sources: sources.length === 0 ? null : sources,
    files,
    asOf: dateOption(options, 'asOf'),
    dryRun: isGiven(options, 'dryRun'),
  };
  const failOn = failOnOption(options);
  if (files.length === 0)
    requireSources(context.config(), sources, path.join(context.cwd, defaultConfigFile), suggestion);
  const work = async () => runReconciliation(await context.runContext(), request);
  return observeRun(context, { failOn, dryRun: request.dryRun, work });
};
