import path from 'node:path';
import { exitCodes } from '../../errors.js';
import { exportPayments, importPayments } from '../../payment-core/index.js';
import { usageError } from '../command-arguments.js';
import type { RunCommand } from '../commands.js';
import { writeOutput, writeOutputFile } from '../write-output.js';
import { printable } from '../printable.js';

export const importFile: RunCommand = async (context, [file = '']) => {
  const { sql } = await context.database();
  const result = await importPayments(sql, path.resolve(context.cwd, file), {
    progress: context.progress(),
  });
  const { read, inserted, updated, unchanged } = result;
  context.print(
    result,
    () => `${read} payments read: ${inserted} new, ${updated} changed, ${unchanged} as they were.`,
  );
  return exitCodes.done;
};

/** To a file, or to standard output, where with --json nothing else may stand. */
export const exportFile: RunCommand = async (context, [file]) => {
  if (file === undefined && context.options.json) {
    throw usageError('payments export --json needs a FILE: standard output is for the JSON.');
  }
  const { sql } = await context.database();
  if (file === undefined) {
    await writeOutput(context.stdout, (out) => exportPayments(sql, out));
    return exitCodes.done;
  }
  const target = path.resolve(context.cwd, file);
  const { written } = await writeOutputFile(target, (out) => exportPayments(sql, out));
  context.print({ file: target, written }, () => `Wrote ${written} payments to ${printable(target)}.`);
  return exitCodes.done;
};
