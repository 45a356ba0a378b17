import type { Paint } from './command-context.js';
import { textTable, type TableCell } from './text-table.js';

export const usualLimit = 50;

/** A list as a table, with a word about what the limit cut off. */
export function listTable(
  head: readonly string[],
  rows: readonly (readonly TableCell[])[],
  { none, total, paint }: { readonly none: string; readonly total: number; readonly paint: Paint },
): string {
  if (rows.length === 0) return none;
  const more = total > rows.length ? `\n${rows.length} of ${total}; --limit shows more.` : '';
  return `${textTable(head, rows, paint)}${more}`;
}

/** `2026-11-20T05:30:01Z` to the minute, as nobody reads more in a table. */
export function minuteOf(moment: string | null): string | null {
  return moment === null ? null : moment.slice(0, 16).replace('T', ' ');
}
