import type { Paint, Tone } from '../command-context.js';
import { plain } from './paint.js';
import { printable } from './printable.js';

/** A cell: text, a number, or text with a tone. Null means empty. */
export type TableCell = string | number | null | { readonly text: string; readonly tone: Tone };

interface Column {
  width: number;
  hasText: boolean;
  /** Numbers are aligned to the right. */
  hasOnlyNumbers: boolean;
}

interface LineOptions {
  readonly paint?: Paint;
  /** On a terminal, the last column is truncated to its width, but keeps a readable minimum. */
  readonly terminalWidth?: number | undefined;
}

interface TableOptions extends LineOptions {
  /** The column of plain texts that are shortened in their middle if the table were wider than `tableWidth`. */
  readonly shorten?: number;
}

/**
 * A table fits 100 columns with the indentation of a summary; only sentences, which stay whole, may be longer.
 */
export const tableWidth = 98;
/** At least this much of a shortened cell stays. */
const leastShortened = 20;

const gap = 2;
const leastLastColumn = 24;

/** Columns of text under a header, as in psql. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly TableCell[])[],
  { shorten, ...options }: TableOptions = {},
): string {
  const shown = shorten === undefined ? rows : shortened(head, rows, shorten);
  const { heading, line } = measured(head, shown).lines(options);
  return [heading, ...shown.map(line)].join('\n');
}

function measured(head: readonly string[], rows: readonly (readonly TableCell[])[]): TableColumns {
  const columns = new TableColumns(head);
  for (const row of rows) columns.measure(row);
  return columns;
}

/** The columns of a table, as wide as the rows that were measured. So a table need not hold its rows. */
export class TableColumns {
  readonly #head: readonly string[];
  readonly #columns: readonly Column[];

  constructor(head: readonly string[]) {
    this.#head = head;
    this.#columns = head.map((name) => ({ width: widthOf(name), hasText: false, hasOnlyNumbers: true }));
  }

  measure(row: readonly TableCell[]): void {
    for (const [index, column] of this.#columns.entries()) {
      const text = textOf(row[index]);
      if (text === '') continue;
      column.width = Math.max(column.width, widthOf(text));
      column.hasText = true;
      column.hasOnlyNumbers &&= /^-?[\d,]+(\.\d+)?$/.test(text);
    }
  }

  /** The width of all columns but one, each with the gap after it. */
  widthWithout(leftOut: number): number {
    return this.#columns.reduce((sum, { width }, index) => (index === leftOut ? sum : sum + width + gap), 0);
  }

  /** The names of the columns with a line below them, and how a row is written. */
  lines({ paint = plain, terminalWidth = Infinity }: LineOptions): {
    readonly heading: string;
    readonly line: (row: readonly TableCell[]) => string;
  } {
    const last = this.#columns.length - 1;
    const room = Math.max(terminalWidth - this.widthWithout(last), leastLastColumn);
    const widths = this.#columns.map(({ width }, index) => (index === last ? Math.min(width, room) : width));
    const line = (row: readonly TableCell[]) =>
      this.#columns
        .map(({ hasText, hasOnlyNumbers }, index) => {
          const text = cut(textOf(row[index]), widths[index] ?? 0);
          const blanks = ' '.repeat((widths[index] ?? 0) - widthOf(text));
          const tone = toneOf(row[index]);
          const painted = tone === undefined ? text : paint(tone, text);
          return hasText && hasOnlyNumbers ? blanks + painted : painted + blanks;
        })
        .join(' '.repeat(gap))
        .trimEnd();
    const names = line(this.#head.map((text) => ({ text, tone: 'strong' })));
    const rule = paint('faint', widths.map((width) => '─'.repeat(width)).join(' '.repeat(gap)));
    return { heading: `${names}\n${rule}`, line };
  }
}

function shortened(
  head: readonly string[],
  rows: readonly (readonly TableCell[])[],
  column: number,
): readonly (readonly TableCell[])[] {
  const most = Math.max(tableWidth - measured(head, rows).widthWithout(column), leastShortened);
  return rows.map((row) =>
    row.map((cell, index) => (index === column ? cutMiddle(textOf(cell), most) : cell)),
  );
}

/** The beginning and the end of a text, such as a file name whose date and extension say what it is. */
function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const characters = Array.from(text);
  let [from, to] = [0, characters.length];
  let kept = 1;
  for (let fromEnd = true; ; fromEnd = !fromEnd) {
    const next = characters[fromEnd ? to - 1 : from] ?? '';
    kept += widthOf(next);
    if (kept > width) break;
    if (fromEnd) to -= 1;
    else from += 1;
  }
  return `${characters.slice(0, from).join('')}…${characters.slice(to).join('')}`;
}

function textOf(cell: TableCell | undefined): string {
  if (cell === null || cell === undefined) return '';
  return printable(typeof cell === 'object' ? cell.text : String(cell));
}

function toneOf(cell: TableCell | undefined): Tone | undefined {
  return typeof cell === 'object' ? cell?.tone : undefined;
}

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Width on a terminal: wide characters take two columns, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{Mn}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}
