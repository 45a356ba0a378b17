import type { CalendarDate } from '../values/calendar-date.js';
import { styles } from './workbook-parts.js';

/** A cell of a sheet by its type: a text, a whole number, an amount, a day, or nothing. */
export type SheetCell = string | number | AmountCell | DateCell | null;

/** A number that a spreadsheet program can add up, shown with the decimals of its currency. */
export interface AmountCell {
  readonly amountMinor: bigint;
  /** Decimals of the currency (ISO 4217). */
  readonly digits: 0 | 2 | 3 | 4;
}

/** A day that a spreadsheet program can sort and filter. */
export interface DateCell {
  readonly date: CalendarDate;
}

/** A column of a written sheet. */
export interface SheetColumn {
  readonly name: string;
  /** In characters. */
  readonly width: number;
  /** What people may write into an empty cell of the column keeps this type. */
  readonly type: 'text' | 'count' | 'amount' | 'date';
  /** Most cells have one of few texts, which are stored once. */
  readonly repeats?: boolean;
  /** A text that is longer than the column is wide continues on more lines, and the row is as high as it needs. */
  readonly wraps?: boolean;
  /** The column is for people to fill in; its header has another colour. */
  readonly isToFill?: boolean;
  /** The column stays in sight when the sheet is scrolled sideways; only for the first columns of a sheet. */
  readonly stays?: boolean;
  /** The column is on paper when the sheet is printed; only for the first columns of a sheet. If none is, all are. */
  readonly isPrinted?: boolean;
  /** Words that the spreadsheet offers; others can be written as well. */
  readonly choices?: readonly string[];
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The XML of a sheet before its first row: frozen header, widths, and the header row itself. */
export function sheetBegin(columns: readonly SheetColumn[]): string {
  const widths = columns.map(({ width, type, wraps = false }, index) => {
    const at = index + 1;
    const style = wraps ? styles.wrappedText : styleOfType[type];
    return `<col min="${at}" max="${at}" width="${width}" style="${style}" customWidth="1"/>`;
  });
  const header = columns.map(({ name, isToFill = false }, index) =>
    textXml(`${columnLetters(index)}1`, isToFill ? styles.headerToFill : styles.header, name),
  );
  return (
    `${xmlDeclaration}<worksheet xmlns="${main}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView workbookViewId="0">` +
    `${frozenPane(columns)}</sheetView></sheetViews>` +
    `<sheetFormatPr defaultRowHeight="${lineHeight}"/><cols>${widths.join('')}</cols><sheetData>` +
    `<row r="1">${header.join('')}</row>`
  );
}

/** The header and the first columns stay in sight. */
function frozenPane(columns: readonly SheetColumn[]): string {
  const staying = columns.filter(({ stays }) => stays === true).length;
  const at = `${columnLetters(staying)}2`;
  return staying === 0
    ? `<pane ySplit="1" topLeftCell="${at}" activePane="bottomLeft" state="frozen"/>`
    : `<pane xSplit="${staying}" ySplit="1" topLeftCell="${at}" activePane="bottomRight" state="frozen"/>`;
}

/** The XML of a sheet after its last row: the filter, the words that are offered, and how the sheet is printed. */
export function sheetEnd(columns: readonly SheetColumn[], rows: number): string {
  const offers = columns.flatMap(({ choices }, index) => {
    if (choices === undefined || rows < 2) return [];
    const letters = columnLetters(index);
    return [
      `<dataValidation type="list" allowBlank="1" showErrorMessage="0" sqref="${letters}2:${letters}${rows}">` +
        `<formula1>"${escapeXml(choices.join(','))}"</formula1></dataValidation>`,
    ];
  });
  const validations =
    offers.length === 0
      ? ''
      : `<dataValidations count="${offers.length}">${offers.join('')}</dataValidations>`;
  return `</sheetData><autoFilter ref="${filteredRange(columns, rows)}"/>${validations}${printing}</worksheet>`;
}

/** On A4, as many pages as the rows need, each as wide as the columns; at the bottom the sheet and the page. */
const printing =
  '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>' +
  '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>' +
  '<headerFooter><oddFooter>&amp;L&amp;A&amp;R&amp;P / &amp;N</oddFooter></headerFooter>';

/** The header and all rows, as `A1:D20`. */
export function filteredRange(columns: readonly SheetColumn[], rows: number): string {
  return `A1:${columnLetters(columns.length - 1)}${rows}`;
}

/** What is printed of the header and all rows, as `A1:D20`. */
export function printedRange(columns: readonly SheetColumn[], rows: number): string {
  const printed = columns.filter(({ isPrinted }) => isPrinted === true);
  return filteredRange(printed.length === 0 ? columns : printed, rows);
}

/** In points, of one line. */
export const lineHeight = 15;

/** At most this many texts are stored once; memory must not grow with what senders send. */
const mostShared = 4096;

/** Texts that are stored once and referred to by their number: they make a workbook smaller, and faster to write. */
export class SharedStrings {
  readonly #numbers = new Map<string, number>();

  /** Undefined if there is no room for one more text. */
  numberOf(text: string): number | undefined {
    const known = this.#numbers.get(text);
    if (known !== undefined || this.#numbers.size === mostShared) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  /** The part of the archive that contains them. */
  toXml(): string {
    const each = [...this.#numbers.keys()].map((text) => `<si>${contentXml(text)}</si>`);
    return `${xmlDeclaration}<sst xmlns="${main}">${each.join('')}</sst>`;
  }
}

const styleOfType = {
  text: styles.text,
  count: styles.count,
  amount: styles.amount2,
  date: styles.date,
} as const;

function textXml(at: string, style: number, text: string): string {
  return `<c r="${at}" s="${style}" t="inlineStr"><is>${contentXml(text)}</is></c>`;
}

/** Without the attribute, XML drops blanks at the beginning and the end. */
export function contentXml(text: string): string {
  const isTrimmed = text.charCodeAt(0) > 32 && text.charCodeAt(text.length - 1) > 32 && !text.includes('\n');
  return `<t${isTrimmed ? '' : ' xml:space="preserve"'}>${escapeXml(text)}</t>`;
}

const letterCache: string[] = [];

/** `A` … `Z`, `AA` … for a column counted from 0. */
export function columnLetters(index: number): string {
  const known = letterCache[index];
  if (known !== undefined) return known;
  const last = String.fromCharCode(65 + (index % 26));
  const letters = index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
  letterCache[index] = letters;
  return letters;
}

/** Characters that XML forbids or interprets, and texts that look like an escape of the format. */
const special = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** One of these is in whatever `special` finds, and looking for them takes a third of the time. */
const perhapsSpecial = /[&<>"_\u0000-\u0008\u000b-\u001f\ufffe\uffff]/;

/** A text for XML. Characters that XML cannot hold are written as `_x0001_`, as the format says. */
export function escapeXml(text: string): string {
  if (!perhapsSpecial.test(text)) return text;
  return text.replace(special, (found) => {
    const entity = entities[found];
    if (entity !== undefined) return entity;
    return `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}
