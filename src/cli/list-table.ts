import type { Sql } from '../db/client.js';
import { collect, onSnapshot, type ListSource } from '../listings/listing.js';
import { numberOption, type Options } from './command-arguments.js';
import type { CommandContext, Paint } from './command-context.js';
import { jsonArray, writeTexts } from './long-answers.js';
import { textTable, type TableCell } from './text/text-table.js';
import { unlessWithoutRuns, withoutDatabase } from './without-runs.js';
import { writeOutput } from './write-output.js';

/** How many entries a table on the terminal has without --limit; JSON then holds all of them. */
export const usualLimit = 50;

interface List<Row> {
  readonly source: ListSource<Row>;
  readonly head: readonly string[];
  readonly cells: (row: Row) => readonly TableCell[];
  /** A sentence below each entry, which is never cut. */
  readonly sentence?: (row: Row) => string;
  /** The column that is shortened if the table were too wide, as in `textTable`. */
  readonly shorten?: number;
  /** The text if there are none. */
  readonly none: string;
  /** Runs find the entries, so the text also says if there are no runs yet. */
  readonly foundByRuns?: boolean;
  /** The names of the options that leave entries out, and what an entry is called. */
  readonly filter?: { readonly options: readonly string[]; readonly entry: string };
}

/**
 * Prints a list: with --json as an array of all entries, otherwise as a table of the first ones, which says how many
 * there are. --limit applies to both.
 */
export async function printList<Row>(
  context: CommandContext,
  options: Options,
  list: List<Row>,
): Promise<void> {
  const limit = numberOption(options, 'limit');
  const database = await context.existingDatabase();
  if (database === undefined) {
    context.print([], () => withoutDatabase(context.config(), list.none, list.foundByRuns === true));
    return;
  }
  const { sql } = database;
  if (context.options.json) {
    await writeOutput(context.stdout, (out) =>
      onSnapshot(sql, (tx) => writeTexts(out, jsonArray(list.source.batches(tx, limit)))),
    );
    return;
  }
  const { rows, total } = await collect(sql, list.source, limit ?? usualLimit);
  const none = rows.length === 0 ? await noneText(sql, list, options) : '';
  context.print(null, (paint) => {
    if (rows.length === 0) return none;
    const more = total > rows.length ? `\n${rows.length} of ${total}; --limit shows more.` : '';
    return `${tableOf(context, list, rows, paint)}${more}`;
  });
}

/** The text of an empty list. If a filter was given, there may be other entries. */
async function noneText(
  sql: Sql,
  { none, filter, foundByRuns }: Pick<List<never>, 'none' | 'filter' | 'foundByRuns'>,
  options: Options,
): Promise<string> {
  const isFiltered = filter?.options.some((name) => options[name] !== undefined) === true;
  if (isFiltered) return `No ${filter.entry} fits the filter.`;
  return foundByRuns === true ? unlessWithoutRuns(sql, none) : none;
}

function tableOf<Row>(
  { stdout }: CommandContext,
  { head, cells, sentence, shorten }: List<Row>,
  rows: readonly Row[],
  paint: Paint,
): string {
  const terminalWidth = stdout.isTTY === true ? stdout.columns : undefined;
  const options = { paint, terminalWidth, ...(shorten === undefined ? {} : { shorten }) };
  const table = textTable(head, rows.map(cells), options);
  return sentence === undefined ? table : withSentences(table, rows.map(sentence));
}

/** A table with a sentence below each of its entries, so that a long sentence does not make the table wider. */
export function withSentences(table: string, sentences: readonly string[]): string {
  const [names = '', line = '', ...entries] = table.split('\n');
  return [
    names,
    line,
    ...entries.flatMap((entry, index) => {
      const sentence = sentences[index];
      return sentence === undefined ? [entry] : [entry, `  ${sentence}`];
    }),
  ].join('\n');
}

/** `2026-11-20T05:30:01Z` to the minute, which is enough in a table. */
export function minuteOf(moment: string | null): string | null {
  return moment === null ? null : moment.slice(0, 16).replace('T', ' ');
}
