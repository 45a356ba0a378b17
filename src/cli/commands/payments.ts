import path from 'node:path';
import { exitCodes } from '../../errors.js';
import { exportPayments } from '../../payment-file/export-payments.js';
import { describeChange } from '../../payment-file/import-errors.js';
import { importPayments, type PaymentsImported } from '../../payment-file/import-payments.js';
import { paymentChangeList } from '../../listings/list-payment-changes.js';
import type { PaymentChanges } from '../../payment-file/payment-changes.js';
import { actorOption, isGiven, textOption, usageError } from '../command-arguments.js';
import type { RunCommand } from '../command-definition.js';
import { counted } from '../../values/counted.js';
import { minuteOf, printList } from '../list-table.js';
import { writeOutput, writeOutputFile } from '../write-output.js';
import { printable } from '../text/printable.js';

/** Stores the payments of a file: all of them, or none. */
export const importFile: RunCommand = async (context, [file = ''], options) => {
  const { sql } = await context.database();
  const result = await importPayments(sql, path.resolve(context.cwd, file), {
    progress: context.progress(),
    author: actorOption(options, context.environment),
    allowChanges: isGiven(options, 'allowChanges'),
    dryRun: isGiven(options, 'dryRun'),
  });
  const { CONTRADICTION } = result.changes.values;
  context.print(
    result,
    () => importSummary(result).join('\n'),
    result.refused ? [refusal(CONTRADICTION)] : [],
  );
  return result.refused ? exitCodes.usage : exitCodes.done;
};

const refusal = (contradictions: number) =>
  `The import would be refused because of ${counted(contradictions, 'contradiction')} (--allow-changes stores ${contradictions === 1 ? 'it' : 'them'}).`;

/** How many changes the summary of an import names; a dry run shows them all. */
const changesNamed = 20;

function importSummary(result: PaymentsImported): string[] {
  const { read, emptyRows, inserted, updated, unchanged, dryRun, refused, changes } = result;
  const notes = [
    ...(read === 0 ? ['The file has a header and no payments.'] : []),
    ...(emptyRows > 0 ? [`Skipped ${counted(emptyRows, 'empty row')} (only separators).`] : []),
  ];
  const payments = counted(read, 'payment');
  const counts = `${inserted} new, ${updated} changed, ${unchanged} unchanged.`;
  if (!dryRun) return [`${payments} read: ${counts}`, ...notes, ...changeLines(changes, changesNamed)];
  return [
    `Dry run, nothing was stored. ${payments} read: ${counts}`,
    ...notes,
    ...changeLines(changes, Infinity),
    ...(refused ? [refusal(changes.values.CONTRADICTION)] : []),
  ];
}

function changeLines({ values, listed }: PaymentChanges, most: number): string[] {
  const { FILLED, RESULT, CONTRADICTION } = values;
  const total = FILLED + RESULT + CONTRADICTION;
  if (total === 0) return [];
  const named = listed.slice(0, most);
  return [
    `Values that differ: ${FILLED} filled in, ${counted(RESULT, 'result')} of pending payments, ${counted(CONTRADICTION, 'contradiction')}.`,
    ...named.map((change) => `  ${printable(describeChange(change))} (${change.kind})`),
    ...(total > named.length ? [`  … and ${total - named.length} more`] : []),
  ];
}

/** What imports changed in stored payments, the latest first. */
export const changes: RunCommand = async (context, _args, options) => {
  await printList(context, options, {
    source: paymentChangeList({ paymentId: textOption(options, 'payment') }),
    head: ['when (UTC)', 'payment', 'column', 'kind', 'old value', 'new value', 'file', 'line'],
    cells: (change) => [
      minuteOf(change.changedAt),
      change.paymentId,
      change.column,
      change.kind,
      change.oldValue,
      change.newValue,
      change.file,
      change.line,
    ],
    none: 'No import has changed a stored payment.',
    filter: { options: ['payment'], entry: 'change' },
  });
  return exitCodes.done;
};

/** To a file, or to standard output, which with --json may contain only the document. */
export const exportFile: RunCommand = async (context, [file]) => {
  if (file === undefined && context.options.json) {
    throw usageError('payments export --json needs a FILE: standard output contains the JSON document.');
  }
  const { sql } = await context.database();
  if (file === undefined) {
    await writeOutput(context.stdout, (out) => exportPayments(sql, out));
    return exitCodes.done;
  }
  const target = path.resolve(context.cwd, file);
  const { written } = await writeOutputFile(target, (out) => exportPayments(sql, out));
  context.print(
    { file: target, written },
    () => `Wrote ${counted(written, 'payment')} to ${printable(target)}.`,
  );
  return exitCodes.done;
};
