import type { CalendarDate } from '../values/calendar-date.js';
import { formatAmount } from '../values/money.js';
import {
  columnLetters,
  contentXml,
  lineHeight,
  type AmountCell,
  type DateCell,
  type SharedStrings,
  type SheetCell,
  type SheetColumn,
} from './sheet-xml.js';
import { styles } from './workbook-parts.js';
import { wrappedLines } from './wrapped-lines.js';

/** In points. */
const highestRow = 405;

/** What the cells of a column have in common. Few long parts are put together faster than many short ones. */
interface ColumnXml {
  /** Up to the number of the row. */
  readonly begin: string;
  /** Behind the number of the row: for a text that is stored once, and for any other. */
  readonly shared: string;
  readonly inline: string;
  readonly repeats: boolean;
  /** Undefined if texts do not wrap. */
  readonly wrapWidth: number | undefined;
  /** The text of the last row, which is often that of the next one, and what follows from it. */
  last: TextXml;
}

/** The XML of a text behind the number of its row, and the lines that it needs. */
interface TextXml {
  readonly text: string;
  readonly xml: string;
  readonly lines: number;
}

const none: TextXml = { text: '', xml: '', lines: 1 };

/** Writes the rows of a sheet. */
export class RowXml {
  readonly #columns: readonly ColumnXml[];
  readonly #strings: SharedStrings;

  /** @param strings the texts of the columns that repeat */
  constructor(columns: readonly SheetColumn[], strings: SharedStrings) {
    this.#strings = strings;
    this.#columns = columns.map(({ width, repeats = false, wraps = false }, index) => {
      const style = wraps ? styles.wrappedText : styles.text;
      return {
        begin: `<c r="${columnLetters(index)}`,
        shared: `" s="${style}" t="s"><v>`,
        inline: inlineBegin(style),
        repeats,
        wrapWidth: wraps ? width : undefined,
        last: none,
      };
    });
  }

  /** @param row counted from 1, the header included */
  write(row: number, cells: readonly SheetCell[]): string {
    const number = row.toString();
    let xml = '';
    let lines = 1;
    for (let index = 0; index < cells.length; index += 1) {
      const cell = cells[index];
      const column = this.#columns[index];
      if (cell === null || cell === undefined || cell === '' || column === undefined) continue;
      if (typeof cell === 'string') {
        const text = cell === column.last.text ? column.last : this.#textXml(cell, column);
        if (text.lines > lines) lines = text.lines;
        xml += column.begin + number + text.xml;
      } else xml += column.begin + number + valueXml(cell);
    }
    const height = lines === 1 ? '' : ` ht="${Math.min(lines * lineHeight, highestRow)}"`;
    return `<row r="${number}"${height}>${xml}</row>`;
  }

  #textXml(text: string, column: ColumnXml): TextXml {
    const shared = column.repeats ? this.#strings.numberOf(text) : undefined;
    const lines = column.wrapWidth === undefined ? 1 : wrappedLines(text, column.wrapWidth);
    if (shared === undefined) return { text, xml: inlineXml(column.inline, text), lines };
    column.last = { text, xml: `${column.shared}${shared}</v></c>`, lines };
    return column.last;
  }
}

const inlineBegin = (style: number) => `" s="${style}" t="inlineStr"><is>`;

const inlineXml = (begin: string, text: string) => `${begin}${contentXml(text)}</is></c>`;

/** Of a value that a spreadsheet would change if it were not a text. */
const asText = (text: string) => inlineXml(inlineBegin(styles.text), text);

/** Behind the number of the row. */
function valueXml(cell: number | AmountCell | DateCell): string {
  if (typeof cell === 'number') return numberXml(styles.count, cell.toString());
  return 'date' in cell ? dateXml(cell) : amountXml(cell);
}

const numberXml = (style: number, number: string) => `" s="${style}"><v>${number}</v></c>`;

/** A spreadsheet stores the number of days since the end of 1899, in which 1900 has a 29 February. */
function dateXml({ date }: DateCell): string {
  const number = dayNumber(date);
  return number === undefined ? asText(date) : numberXml(styles.date, `${number}`);
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

function amountXml({ amountMinor, digits }: AmountCell): string {
  const text = formatAmount(amountMinor);
  if (text.length > exactCharacters) return asText(text);
  // What a currency without decimals should not have must be visible all the same.
  const shown = digits === 0 && !text.endsWith('.00') ? 2 : digits;
  return numberXml(styles[`amount${shown}`], text);
}
