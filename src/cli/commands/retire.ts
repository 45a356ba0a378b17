import { exitCodes } from '../../errors.js';
import { keptReasons } from '../../retention/judge.js';
import { retireMonths, type KeptPart, type Retired } from '../../retention/retire-months.js';
import { dateOption, isGiven, usageError } from '../command-arguments.js';
import type { Paint } from '../command-context.js';
import type { RunCommand } from '../command-definition.js';
import { printable } from '../text/printable.js';
import { shortId } from '../text/short-id.js';
import { textTable } from '../text/text-table.js';

/** As many items of a month are named in the text; the document has all of them. */
const mostNamed = 5;

/** Detaches the records of old months, whose tables are kept. */
export const retire: RunCommand = async (context, _args, options) => {
  const before = dateOption(options, 'before');
  if (before === null) throw usageError('retire needs --before DATE.');
  const dryRun = isGiven(options, 'dryRun');
  const mostItems = context.options.json ? null : mostNamed;
  const retired = await retireMonths(await context.runContext(), { before, dryRun, mostItems });
  context.print(retired, (paint) => describe(retired, paint));
  return exitCodes.done;
};

function describe({ before, dryRun, parts, kept }: Retired, paint: Paint): string {
  if (parts.length + kept.length === 0) {
    return [
      `Nothing to detach: no whole month of files before ${before} is stored.`,
      // For somebody who repeats a command that was killed after its commit, before it could list them.
      'What was detached earlier: recon audit list --action records.retired',
    ].join('\n');
  }
  const table = textTable(
    ['month', 'files', 'records', 'table'],
    parts.map((part) => [part.month, part.files, part.records, part.table]),
    { paint },
  );
  const detached = dryRun
    ? 'These tables would be detached.'
    : 'These tables were detached: keep them, or dump and drop them.';
  const nothing = dryRun ? 'Nothing would be detached.' : 'Nothing was detached.';
  return [
    ...(parts.length === 0 ? [nothing] : [table, detached]),
    ...(kept.length === 0 ? [] : ['', ...keptLines(kept, paint)]),
  ].join('\n');
}

function keptLines(kept: readonly KeptPart[], paint: Paint): readonly string[] {
  const table = textTable(
    ['old, and stays', 'files', 'records', 'because'],
    kept.map((part) => [part.month, part.files, part.records, keptReasons[part.reason]]),
    { paint },
  );
  const ofItems = kept.filter(({ openItems }) => openItems > 0);
  if (ofItems.length === 0) return [table];
  return [
    table,
    ...ofItems.flatMap(itemLines),
    ...(ofItems.some(({ openItems, items }) => openItems > items.length)
      ? ['With --json, the command names all of them.']
      : []),
    'Decide about these items (`recon items` lists them), then give the same command again.',
  ];
}

function itemLines({ month, openItems, items }: KeptPart): readonly string[] {
  const more = openItems - items.length;
  return [
    `${month} is kept by ${openItems === 1 ? '1 item' : `${openItems} items`}:`,
    ...items.map(({ discrepancyId, code, file, line }) => {
      const place = file === null ? '' : ` ${file}:${line}`;
      return printable(`  ${shortId(discrepancyId)} ${code}${place}`);
    }),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
