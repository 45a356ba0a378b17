import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
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
  if (file === undefined) {
    if (context.options.json)
      throw new ReconError(
        'USAGE_INVALID',
        'payments export --json needs a FILE: standard output is for the JSON.',
      );
    await pipeline(Readable.from(exportPayments(sql)), context.stdout, { end: false });
    return 0;
  }
  const target = path.resolve(context.cwd, file);
  try {
    await pipeline(Readable.from(exportPayments(sql)), createWriteStream(target));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown;
    throw new ReconError('DISK_FAILED', `${target} cannot be written: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
  context.print({ file: target }, () => `Wrote ${target}.`);
  return 0;
};
