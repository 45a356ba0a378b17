import path from 'node:path';
import { exitCodes } from '../../errors.js';
import { correctRows } from '../../intake/corrections/correct-rows.js';
import { correctionMark } from '../../intake/corrections/read-correction-rows.js';
import { decide as decideItems, firstDecisions, type DecidedInBatches } from '../../items/decide.js';
import { decideSheet } from '../../items/sheet/decide-sheet.js';
import { itemSheet } from '../../items/sheet/read-sheet.js';
import type { Deciding, DecisionRequest } from '../../items/decision-request.js';
import { filterTextOf } from '../../items/filter-text.js';
import type { DecisionKind } from '../../values/decision-kinds.js';
import { placeOf, type TableShape } from '../../spreadsheet/filled-in-table.js';
import { readTable } from '../../spreadsheet/read-table.js';
import { invalid } from '../../spreadsheet/sheet-problems.js';
import { authorOption, isGiven, textOption, usageError, type Options } from '../command-arguments.js';
import type { CommandContext } from '../command-context.js';
import { correctedLines, decidedLines, namedItems } from '../text/decided-lines.js';
import type { RunCommand } from '../command-definition.js';
import { limitHeapGrowth } from '../limit-heap-growth.js';
import { jsonDocument, writeTexts } from '../long-answers.js';
import { printableLines } from '../text/printable.js';
import { writeOutput } from '../write-output.js';
import { filterOptions, viewOptions } from './items.js';

/** Stores one decision about the items that are named or filtered, or the decisions of a sheet. */
export const decide: RunCommand = async (context, named, options) => {
  // A sheet may have as many rows as a report, and a filter as many items.
  limitHeapGrowth();
  const sheet = textOption(options, 'file');
  const request = requestOptions(options);
  const filter = decideFilter(options);
  const filterText = filterTextOf(filter);
  if (sheet !== null) {
    if (request !== null || named.length > 0 || filterText !== '') {
      throw usageError('--file takes items and decisions from the sheet; give nothing else with it.');
    }
    if (textOption(options, 'reason') !== null) {
      throw usageError('--file takes the reason of each decision from the sheet; --reason has no effect.');
    }
    return giveBack(context, path.resolve(context.cwd, sheet), options);
  }
  if (request === null) {
    throw usageError(`What is decided is missing: one of ${Object.values(flags).join(', ')}, or --file.`);
  }
  if (named.length > 0 && filterText !== '') {
    throw usageError('Name the items, or narrow all of them by a filter, not both.');
  }
  if (named.length === 0 && filterText === '') {
    throw usageError(
      'Name the items to decide, or narrow them by --code, --account, --currency, --text, --pattern, --severity, --assigned-to or --status.',
    );
  }
  const target = named.length > 0 ? { named } : { filter, filterText };
  const { sql } = await context.database();
  const deciding = decidingOptions(context, options);
  await decideItems(sql, { target, request, deciding }, (decided) =>
    printDecided(context, decided, 'No item fits the filter.'),
  );
  return exitCodes.done;
};

const itemOrCorrectionSheet: TableShape = {
  ...itemSheet,
  marks: [...itemSheet.marks, correctionMark],
  ownCell: new RegExp(`${itemSheet.ownCell.source}|^[0-9a-f]{64}$`),
};

/** Takes a sheet that a person edited: `open-items.csv` or `corrections.csv`, recognised by its columns. */
async function giveBack(context: CommandContext, file: string, options: Options): Promise<number> {
  const table = await readTable(file, itemOrCorrectionSheet);
  const [items, corrections] = [itemSheet.marks, [correctionMark]].map((marks) =>
    table.headers.find(({ columns }) => marks.some((mark) => columns.includes(mark))),
  );
  if (items !== undefined && corrections !== undefined) {
    throw invalid(table.name, [
      `it has items (${placeOf(items)}) and corrections (${placeOf(corrections)}): give back each in a separate file.`,
    ]);
  }
  const deciding = decidingOptions(context, options);
  const { sql } = await context.database();
  if (corrections !== undefined) {
    const corrected = await correctRows(sql, table, deciding);
    context.print(corrected, () => printableLines(correctedLines(corrected).join('\n')));
  } else {
    const nothing = 'No row of the sheet has a new decision.';
    await decideSheet(sql, table, deciding, (decided) => printDecided(context, decided, nothing));
  }
  return exitCodes.done;
}

/** The option of each kind, with its value where it has one. */
const flags: Readonly<Record<DecisionKind, string>> = {
  accept: '--accept',
  wait: '--wait',
  link: '--link',
  unlink: '--unlink',
  supersede: '--supersede',
  'keep-both': '--keep-both',
  assign: '--assign',
  note: '--note',
  approve: '--approve',
  undo: '--undo',
};

/** Exactly one decision, which a note may accompany; null when there is none. */
function requestOptions(options: Options): DecisionRequest | null {
  const isThere = (kind: DecisionKind) => {
    const value = options[kind === 'keep-both' ? 'keepBoth' : kind];
    return value === true || typeof value === 'string';
  };
  // The keys of an object literal are what its type says.
  const given = (Object.keys(flags) as DecisionKind[]).filter(isThere);
  const kinds = given.length > 1 ? given.filter((kind) => kind !== 'note') : given;
  const [kind, second] = kinds;
  if (kind === undefined) return null;
  if (second !== undefined) throw usageError(`${flags[kind]} and ${flags[second]} exclude each other.`);
  return {
    kind,
    until: textOption(options, 'wait'),
    linkTo: textOption(options, 'link'),
    assignee: textOption(options, 'assign'),
    reason: nonEmpty(textOption(options, 'reason')),
    note: nonEmpty(textOption(options, 'note')),
  };
}

const nonEmpty = (text: string | null) => (text === null || text.trim() === '' ? null : text.trim());

function decideFilter(options: Options) {
  return filterOptions({ ...options, assignee: options['assignedTo'] });
}

function decidingOptions(context: CommandContext, options: Options): Deciding {
  return {
    ...viewOptions(context, options),
    author: authorOption(options, context.environment),
    now: Date.now(),
    fourEyesAbove: context.config().decisions.fourEyesAbove,
    dryRun: isGiven(options, 'dryRun'),
  };
}

/** @param nothing says why nothing was decided, if nothing was */
async function printDecided(context: CommandContext, made: DecidedInBatches, nothing: string): Promise<void> {
  if (context.options.json) {
    await writeOutput(context.stdout, (out) => writeTexts(out, jsonDocument(made.decided)));
    return;
  }
  const first = await firstDecisions(made.decided.decisions, namedItems);
  context.print(null, () => printableLines(decidedLines(made, first, nothing).join('\n')));
}
