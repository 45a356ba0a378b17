import { suggestion } from '../../config/closest-name.js';
import { ReconError } from '../../errors.js';
import { runReconciliation } from '../../run/run-reconciliation.js';
import type { CommandContext } from '../command-context.js';
import { dateOption, isGiven, listOption, usageError } from '../command-arguments.js';
import type { RunCommand } from '../commands.js';
import { failOnOption, finishRun } from '../finish-run.js';

export const run: RunCommand = async (context, _args, options) => {
  const sources = listOption(options, 'source');
  const files = listOption(options, 'file');
  if (sources.length > 0 && files.length > 0) throw usageError('--source and --file exclude each other.');
  const request = {
    sources: sources.length === 0 ? null : sources,
    files,
    asOf: dateOption(options, 'asOf'),
    dryRun: isGiven(options, 'dryRun'),
  };
  const failOn = failOnOption(options);
  if (files.length === 0) requireSources(context, sources);
  return finishRun(context, await runReconciliation(await context.runContext(), request), failOn);
};

/** Told before a database is opened or a run begun. */
export function requireSources(context: CommandContext, names: readonly string[]): void {
  const configured = context.config().sources.map((source) => source.name);
  if (configured.length === 0) {
    throw new ReconError(
      'CONFIG_INVALID',
      'No source is configured and no --file is given: there is nothing to fetch.',
    );
  }
  const unknown = names.find((name) => !configured.includes(name));
  if (unknown !== undefined) {
    throw usageError(
      `There is no source named "${unknown}"${suggestion(unknown, configured)}; configured: ${configured.join(', ')}.`,
    );
  }
}
