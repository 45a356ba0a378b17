import { stringify } from 'csv-stringify/sync';
import { cutText, longestCell } from '../../values/cut-text.js';
import { maskCardNumbers } from '../../values/mask-card-numbers.js';
import { formatAmount } from '../../values/money.js';

/**
 * Cells of the reports for people (design 6). The kind of a cell, and never its content, decides how it is written:
 * text is quoted and made safe against formulas; amounts (hundredths) and counts are formatted here as plain numbers;
 * dates and codes that only the program makes are not quoted either.
 */
export type Cell = string | bigint | number | BareCell | null;

/**
 * How a report for people is written (`reports` of the configuration), so that a spreadsheet of any country reads it.
 */
export interface CsvFormat {
  /** Between the cells. */
  readonly delimiter: ';' | ',';
  /** In amounts; never the same as the delimiter. */
  readonly decimalSeparator: '.' | ',';
}

/** Text that only the program makes and that needs no escaping, such as a calendar date. */
interface BareCell {
  readonly bare: string;
}

/** Characters that spreadsheets read as the beginning of a formula, with the variants that they treat as equal. */
export const starters = '=+\\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212';

/** A starter at the beginning, or after characters that a program may strip or ignore: blanks, quotes, separators. */
const leadingFormula = new RegExp(`^(?:[\\t\\r\\n]|[\\s\\u200B-\\u200F\\u2060\\uFEFF"';,|]*[${starters}])`);

/**
 * A starter that becomes the beginning of a cell if a program splits at a different separator (a comma in most
 * countries). Numbers are not changed: a raw line is full of them.
 */
const embeddedFormula = new RegExp(
  `(?<=[;,|\\t\\r\\n"])(?=[${starters}])(?![+-]?\\d+(?:[.,]\\d+)*(?:[;,|\\t\\r\\n"]|$))`,
  'g',
);

/** A separator before which or behind which a program may split: without one, nothing is embedded. */
const anySeparator = /[;,|\t\r\n"]/;

/** Makes a text harmless in a spreadsheet with the prefix `'` that OWASP (CSV injection) advises. */
export function formulaSafe(text: string): string {
  // Most cells have no separator, and the search for what is embedded took half of the time of a row.
  const inner = anySeparator.test(text) ? text.replace(embeddedFormula, "'") : text;
  return leadingFormula.test(text) ? `'${inner}` : inner;
}

/** An identifier or name of the data: as it is, except for formulas. Ids of digits stay what they are. */
export function textCell(text: string | null): string | null {
  if (text === null || text === '') return null;
  return fittingCell(formulaSafe(text));
}

/** A text cut to what a cell of a spreadsheet can hold. */
export function fittingCell(text: string): string {
  return cutText(text, longestCell);
}

/** Text written by people or senders: a card number in it is truncated as well. */
export function freeTextCell(text: string | null): string | null {
  return text === null ? null : textCell(maskCardNumbers(text));
}

const formattedAmount = /^-?\d+\.\d{2}$/;

/** A stored text that may be an amount (`123.45`): written as a number if it is one, else as free text. */
export function amountOrTextCell(text: string | null): Cell {
  return storedAmount(text) ?? freeTextCell(text);
}

/** The hundredths of a stored text that is an amount; null for any other text. */
export function storedAmount(text: string | null): bigint | null {
  return text !== null && formattedAmount.test(text) ? BigInt(text.replace('.', '')) : null;
}

/** A calendar date `yyyy-MM-dd`, which a spreadsheet reads as a date; null is an empty cell. */
export function dateCell(date: string | null): Cell {
  return date === null ? null : { bare: date };
}

function formatCount(count: number): string {
  if (!Number.isSafeInteger(count)) throw new Error(`${count} is not a whole number`);
  return count.toString();
}

/**
 * Rows as lines, each ended by CRLF. Only text cells are quoted, and all of them are. A row that is a text is a line
 * already (`csv-lines.ts`).
 *
 * csv-stringify escapes quotes. A row without any, which is nearly every row, is put together here: 5 instead of 20 µs
 * for the 35 cells of an open item. A property test holds both equal.
 */
export function serializeRows(rows: readonly (string | readonly Cell[])[], format: CsvFormat): string {
  let text = '';
  for (const row of rows) {
    text += typeof row === 'string' ? row : (plainRow(row, format) ?? stringifyRow(row, format));
  }
  return text;
}

/** Undefined for a row with a quote in a text, and for one without cells. */
function plainRow(row: readonly Cell[], format: CsvFormat): string | undefined {
  if (row.length === 0) return undefined;
  let text = '';
  for (let index = 0; index < row.length; index += 1) {
    const cell = row[index] ?? null;
    if (index > 0) text += format.delimiter;
    if (cell === null || cell === '') continue;
    if (typeof cell !== 'string') text += unquotedCell(cell, format);
    else if (cell.includes('"')) return undefined;
    else text += `"${cell}"`;
  }
  return `${text}\r\n`;
}

function unquotedCell(cell: bigint | number | BareCell, { decimalSeparator }: CsvFormat): string {
  if (typeof cell === 'number') return formatCount(cell);
  if (typeof cell === 'object') return cell.bare;
  const amount = formatAmount(cell);
  return decimalSeparator === '.' ? amount : amount.replace('.', decimalSeparator);
}

function stringifyRow(row: readonly Cell[], format: CsvFormat): string {
  return stringify([row], {
    delimiter: format.delimiter,
    record_delimiter: 'windows',
    quoted_string: true,
    quoted_empty: false,
    cast: {
      bigint: (amount) => unquotedCell(amount, format),
      number: formatCount,
      // The only objects in a row are bare cells, by its type.
      object: (cell) => (cell as unknown as BareCell).bare,
    },
  });
}

/** The first bytes of every part: byte order mark and header. */
export function serializeHeader(names: readonly string[], { delimiter }: CsvFormat): string {
  return `\uFEFF${names.join(delimiter)}\r\n`;
}
