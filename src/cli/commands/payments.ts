import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { ReconError, messageOf } from '../../errors.js';
import { exportPayments, importPayments } from '../../payment-core/index.js';
import type { RunCommand } from '../program.js';

export const importFile: RunCommand = async (context, [file = '']) => {
  const { sql } = await context.database();
  const task = (await context.runContext()).progress.begin(path.basename(file), null, 'rows');
  try {
    const result = await importPayments(sql, path.resolve(context.cwd, file));
    context.print(
      result,
      () =>
        `${result.read} payments read: ${result.inserted} new, ${result.updated} changed, ${result.unchanged} as they were.`,
    );
  } finally {
    task.end();
  }
  return 0;
};

/** To a file, or to standard output, where with --json nothing else may stand. */
export const exportFile: RunCommand = async (context, [file]) => {
  const { sql } = await context.database();
  if (file === undefined && context.options.json) {
    throw new ReconError(
      'USAGE_INVALID',
      'payments export --json needs a FILE: standard output is for the JSON.',
    );
  }
  if (file === undefined) {
    await exportPayments(sql, context.stdout);
    return 0;
  }
  const target = path.resolve(context.cwd, file);
  try {
    const out = createWriteStream(target);
    const { written } = await exportPayments(sql, out);
    out.end();
    await finished(out);
    context.print({ file: target, written }, () => `Wrote ${written} payments to ${target}.`);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown;
    throw new ReconError('DISK_FAILED', `${target} cannot be written: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  return 0;
};
