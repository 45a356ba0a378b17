import type { Paint, Tone } from './command-context.js';
import { plain } from './paint.js';
import { printable } from './printable.js';

/** A cell: text, a number that is right-aligned, or either with a tone. Null stands for nothing. */
export type TableCell = string | number | null | { readonly text: string; readonly tone: Tone };

const textOf = (cell: TableCell | undefined): string =>
  printable(cell === null || cell === undefined ? '' : typeof cell === 'object' ? cell.text : String(cell));

/** Columns of text under a headline, as psql draws them; a column of numbers is aligned to the right. */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly TableCell[])[],
  paint: Paint = plain,
): string {
  const columns = head.map((name, index) => {
    const texts = rows.map((row) => textOf(row[index]));
    return {
      name,
      width: Math.max(widthOf(name), ...texts.map(widthOf)),
      isNumeric:
        texts.some((text) => text !== '') && texts.every((text) => /^(-?[\d,]+(\.\d+)?)?$/.test(text)),
    };
  });
  const line = (cells: readonly string[], painted: readonly string[]) =>
    columns
      .map(({ width, isNumeric }, index) => {
        const blanks = ' '.repeat(width - widthOf(cells[index] ?? ''));
        return isNumeric ? blanks + (painted[index] ?? '') : (painted[index] ?? '') + blanks;
      })
      .join('  ')
      .trimEnd();
  return [
    line(
      head,
      head.map((name) => paint('strong', name)),
    ),
    paint('faint', columns.map(({ width }) => '─'.repeat(width)).join('  ')),
    ...rows.map((row) => {
      const texts = head.map((_, index) => textOf(row[index]));
      return line(
        texts,
        row.map((cell, index) =>
          typeof cell === 'object' && cell !== null
            ? paint(cell.tone, texts[index] ?? '')
            : (texts[index] ?? ''),
        ),
      );
    }),
  ].join('\n');
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Places on a terminal: wide characters take two, combining marks none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{Mn}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}
