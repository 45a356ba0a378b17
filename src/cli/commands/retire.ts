import { exitCodes } from '../../errors.js';
import { retireMonths } from '../../run/retire-months.js';
import { dateOption, isGiven, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { textTable } from '../text-table.js';

export const retire: RunCommand = async (context, _args, options) => {
  const before = dateOption(options, 'before');
  if (before === null) throw usageError('retire needs --before DATE.');
  const dryRun = isGiven(options, 'dryRun');
  const parts = await retireMonths(await context.runContext(), { before, dryRun });
  context.print({ before, dryRun, parts }, (paint) => {
    if (parts.length === 0) return `Nothing to detach: no whole month of files before ${before} is stored.`;
    const table = textTable(
      ['month', 'files', 'records', 'table'],
      parts.map((part) => [part.month, part.files, part.records, part.table]),
      { paint },
    );
    return `${table}\n${dryRun ? 'These tables would be detached.' : 'These tables were detached: keep them, or dump and drop them.'}`;
  });
  return exitCodes.done;
};
