import { exitCodes } from '../../errors.js';
import { readDiff } from '../../library/diff.js';
import { isGiven, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { diffCsv } from '../text/diff-csv.js';
import { diffText } from '../text/diff-text.js';
import { jsonDocument, writeTexts } from '../long-answers.js';
import { paintFor } from '../text/paint.js';
import { writeOutput } from '../write-output.js';

/** Compares two files or two runs; nothing is left out of either list. */
export const diff: RunCommand = async (context, [first = '', second = ''], options) => {
  const asCsv = isGiven(options, 'csv');
  const { json, quiet } = context.options;
  if (asCsv && json) throw usageError('--csv and --json exclude each other.');
  const { sql } = await context.database();
  await writeOutput(context.stdout, (out) =>
    readDiff(sql, first, second, async (found) => {
      if (json) await writeTexts(out, jsonDocument(found));
      else if (asCsv) await writeTexts(out, diffCsv(found, context.config().reports));
      else if (!quiet) await writeTexts(out, diffText(found, paintFor(context.stdout)));
    }),
  );
  return exitCodes.done;
};
