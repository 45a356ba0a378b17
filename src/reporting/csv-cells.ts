import { stringify } from 'csv-stringify/sync';
import { maskCardNumbers } from '../values/mask-card-numbers.js';
import { formatAmount } from '../values/money.js';

/**
 * Cells of the human-facing reports (design 6). The kind of a cell decides how it is written, never its
 * content: text is quoted and made safe against formulas; amounts (hundredths) and counts are bare numbers
 * of our own formatting; dates and codes that only we form are bare too.
 */
export type Cell = string | bigint | number | BareCell | null;

/** Text that only the program forms and that can hold nothing to escape, such as a calendar date. */
interface BareCell {
  readonly bare: string;
}

/** What spreadsheets take for the beginning of a formula, in the forms that they fold together. */
const starters = '=+\\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212';

/** A starter at the beginning, or behind what a program may strip or read over: blanks, quotes, separators. */
const leadingFormula = new RegExp(`^(?:[\\t\\r\\n]|[\\s\\u200B-\\u200F\\u2060\\uFEFF"';,|]*[${starters}])`);

/**
 * A starter that becomes the beginning of a cell when a program splits at another separator than ours (a
 * comma, for most of the world). Numbers are let be: a raw line is full of them.
 */
const embeddedFormula = new RegExp(
  `(?<=[;,|\\t\\r\\n"])(?=[${starters}])(?![+-]?\\d+(?:[.,]\\d+)*(?:[;,|\\t\\r\\n"]|$))`,
  'g',
);

/** Spreadsheets tear a longer cell apart. */
const longestCell = 32_767;

/** Makes a text harmless in a spreadsheet with the prefix `'` that OWASP (CSV injection) advises. */
export function formulaSafe(text: string): string {
  const inner = text.replace(embeddedFormula, "'");
  return leadingFormula.test(text) ? `'${inner}` : inner;
}

/** An identifier or name of the data: as it is, except for formulas. Ids of digits stay what they are. */
export function textCell(text: string | null): string | null {
  if (text === null || text === '') return null;
  const safe = formulaSafe(text);
  return safe.length <= longestCell ? safe : `${safe.slice(0, longestCell - 1)}…`;
}

/** Words of people or of senders: a card number in them is truncated as well. */
export function freeTextCell(text: string | null): string | null {
  return text === null ? null : textCell(maskCardNumbers(text));
}

const formattedAmount = /^-?\d+\.\d{2}$/;

/** An amount that was stored in words (`123.45`): a number again where it is one, else free text. */
export function amountOrTextCell(text: string | null): Cell {
  if (text === null || !formattedAmount.test(text)) return freeTextCell(text);
  return BigInt(text.replace('.', ''));
}

/** A calendar date. */
export function dateCell(date: string | null): Cell {
  return date === null ? null : { bare: date };
}

function formatCount(count: number): string {
  if (!Number.isSafeInteger(count)) throw new Error(`${count} is no whole number`);
  return count.toString();
}

/** Rows as `;`-separated lines, each ended by CRLF. Only text cells are quoted, and all of them are. */
export function serializeRows(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    delimiter: ';',
    record_delimiter: 'windows',
    quoted_string: true,
    quoted_empty: false,
    cast: {
      bigint: formatAmount,
      number: formatCount,
      // The only objects in a row are bare cells, by its type.
      object: (cell) => (cell as unknown as BareCell).bare,
    },
  });
}

/** The first bytes of every part: byte order mark and header. */
export function serializeHeader(names: readonly string[]): string {
  return `\uFEFF${names.join(';')}\r\n`;
}
