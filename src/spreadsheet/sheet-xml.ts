import type { CalendarDate } from '../values/calendar-date.js';
import { formatAmount } from '../values/money.js';
import { styles } from './workbook-parts.js';
import { wrappedLines } from './wrapped-lines.js';

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

/**
 * @param row counted from 1, the header included
 * @param strings the texts of the columns that repeat
 */
export function rowXml(
  row: number,
  cells: readonly SheetCell[],
  columns: readonly SheetColumn[],
  strings: SharedStrings,
): string {
  let xml = '';
  let lines = 1;
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (cell === null || cell === undefined || cell === '') continue;
    const at = `${columnLetters(index)}${row}`;
    if (typeof cell === 'string') {
      const column = columns[index];
      const shared = column?.repeats === true ? strings.numberOf(cell) : undefined;
      const style = column?.wraps === true ? styles.wrappedText : styles.text;
      if (column?.wraps === true) lines = Math.max(lines, wrappedLines(cell, column.width));
      xml += shared === undefined ? textXml(at, style, cell) : sharedXml(at, style, shared);
    } else if (typeof cell === 'number') xml += numberXml(at, styles.count, cell.toString());
    else if ('date' in cell) xml += dateXml(at, cell.date);
    else xml += amountXml(at, cell);
  }
  const height = lines === 1 ? '' : ` ht="${Math.min(lines * lineHeight, highestRow)}"`;
  return `<row r="${row}"${height}>${xml}</row>`;
}

/** In points; a row is 409 points high at most. */
const lineHeight = 15;
const highestRow = 405;

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

const sharedXml = (at: string, style: number, number: number) =>
  `<c r="${at}" s="${style}" t="s"><v>${number}</v></c>`;

/** Without the attribute, XML drops blanks at the beginning and the end. */
function contentXml(text: string): string {
  const isTrimmed = text.charCodeAt(0) > 32 && text.charCodeAt(text.length - 1) > 32 && !text.includes('\n');
  return `<t${isTrimmed ? '' : ' xml:space="preserve"'}>${escapeXml(text)}</t>`;
}

const numberXml = (at: string, style: number, number: string) =>
  `<c r="${at}" s="${style}"><v>${number}</v></c>`;

/** A spreadsheet stores the number of days since the end of 1899, in which 1900 has a 29 February. */
function dateXml(at: string, date: CalendarDate): string {
  const number = dayNumber(date);
  return number === undefined ? textXml(at, styles.text, date) : numberXml(at, styles.date, `${number}`);
}

const daysBefore1970 = 25_569;
/** 1 March 1900: before this day, spreadsheets count differently. */
const firstSafeDay = 61;

/** The numbers of some days: a report has the same few again and again. */
const dayNumbers = new Map<CalendarDate, number | undefined>();

/** The number of a day in a spreadsheet; undefined for a day that spreadsheets count differently. */
function dayNumber(date: CalendarDate): number | undefined {
  if (!dayNumbers.has(date)) {
    if (dayNumbers.size === 1000) dayNumbers.clear();
    dayNumbers.set(date, computeDayNumber(date));
  }
  return dayNumbers.get(date);
}

function computeDayNumber(date: CalendarDate): number | undefined {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const number = Date.UTC(year, month - 1, day) / 86_400_000 + daysBefore1970;
  return number >= firstSafeDay ? number : undefined;
}

/** A spreadsheet keeps 15 digits of a number, here with a sign and a dot. */
const exactCharacters = 16;

function amountXml(at: string, { amountMinor, digits }: AmountCell): string {
  const text = formatAmount(amountMinor);
  if (text.length > exactCharacters) return textXml(at, styles.text, text);
  // What a currency without decimals should not have must be visible all the same.
  const shown = digits === 0 && !text.endsWith('.00') ? 2 : digits;
  return numberXml(at, styles[`amount${shown}`], text);
}

const letterCache: string[] = [];

/** `A` … `Z`, `AA` … for a column counted from 0. */
function columnLetters(index: number): string {
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
