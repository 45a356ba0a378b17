import type { Paint, Tone } from './command-context.js';
import { plain } from './paint.js';
import { printable } from './printable.js';

/** A cell: text, a number, or text with a tone. Null means empty. */
export type TableCell = string | number | null | { readonly text: string; readonly tone: Tone };

interface Column {
  readonly width: number;
  /** Numbers are aligned to the right. */
  readonly isNumeric: boolean;
}

interface TableOptions {
  readonly paint?: Paint;
  /** On a terminal, the last column is truncated to its width, but keeps a readable minimum. */
  readonly terminalWidth?: number | undefined;
  /** The column whose cells are shortened in their middle if the table were wider than `tableWidth`. */
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
  { paint = plain, terminalWidth, shorten }: TableOptions = {},
): string {
  const whole = rows.map((row) => head.map((_, index) => textOf(row[index])));
  const texts = shorten === undefined ? whole : shortened(head, whole, shorten);
  const columns = fitted(
    head.map((name, index) =>
      columnOf(
        name,
        texts.map((row) => row[index] ?? ''),
      ),
    ),
    terminalWidth,
  );
  const line = (cells: readonly string[], tones: (index: number) => Tone | undefined) =>
    columns
      .map(({ width, isNumeric }, index) => {
        const text = cut(cells[index] ?? '', width);
        const blanks = ' '.repeat(width - widthOf(text));
        const tone = tones(index);
        const painted = tone === undefined ? text : paint(tone, text);
        return isNumeric ? blanks + painted : painted + blanks;
      })
      .join(' '.repeat(gap))
      .trimEnd();
  return [
    line(head, () => 'strong'),
    paint('faint', columns.map(({ width }) => '─'.repeat(width)).join(' '.repeat(gap))),
    ...texts.map((row, at) => line(row, (index) => toneOf(rows[at]?.[index]))),
  ].join('\n');
}

function shortened(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  column: number,
): readonly (readonly string[])[] {
  const widthOfColumn = (index: number) =>
    Math.max(widthOf(head[index] ?? ''), ...rows.map((row) => widthOf(row[index] ?? '')));
  const others = head.reduce(
    (sum, _, index) => (index === column ? sum : sum + widthOfColumn(index) + gap),
    0,
  );
  const most = Math.max(tableWidth - others, leastShortened);
  return rows.map((row) => row.map((text, index) => (index === column ? cutMiddle(text, most) : text)));
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

function columnOf(name: string, texts: readonly string[]): Column {
  return {
    width: Math.max(widthOf(name), ...texts.map(widthOf)),
    isNumeric: texts.some((text) => text !== '') && texts.every((text) => /^(-?[\d,]+(\.\d+)?)?$/.test(text)),
  };
}

function fitted(columns: readonly Column[], terminalWidth = Infinity): Column[] {
  const rest = columns.slice(0, -1).reduce((sum, { width }) => sum + width + gap, 0);
  return columns.map((column, index) =>
    index < columns.length - 1
      ? column
      : { ...column, width: Math.min(column.width, Math.max(terminalWidth - rest, leastLastColumn)) },
  );
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
