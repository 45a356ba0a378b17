import type { CommandContext } from './command-context.js';
import { textTable, type TableCell } from './text-table.js';

export const usualLimit = 50;

interface List {
  readonly head: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  /** The number of entries without the limit. */
  readonly total: number;
  /** The text if there are none. */
  readonly none: string;
}

/** Prints a list: as an array with --json, otherwise as a table, with a line that says how many the limit left out. */
export function printList(context: CommandContext, document: readonly unknown[], list: List): void {
  const { stdout } = context;
  context.print(document, (paint) => {
    const { head, rows, total, none } = list;
    if (rows.length === 0) return none;
    const terminalWidth = stdout.isTTY === true ? stdout.columns : undefined;
    const more = total > rows.length ? `\n${rows.length} of ${total}; --limit shows more.` : '';
    return `${textTable(head, rows, { paint, terminalWidth })}${more}`;
  });
}

/** `2026-11-20T05:30:01Z` to the minute, which is enough in a table. */
export function minuteOf(moment: string | null): string | null {
  return moment === null ? null : moment.slice(0, 16).replace('T', ' ');
}
