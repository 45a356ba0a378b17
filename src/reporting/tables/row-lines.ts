import { longestCell } from '../../values/cut-text.js';
import { anySeparator } from '../../values/mask-card-numbers.js';
import { formatAmount } from '../../values/money.js';
import { isMarked, valueMark } from '../../values/row-texts.js';
import {
  amountOrTextCell,
  dateCell,
  freeTextCell,
  starters,
  storedAmount,
  textCell,
  type Cell,
  type CsvFormat,
} from './csv-cells.js';

/*
 * The lines of a long list. The server sends each row as one text (`src/values/row-texts.ts`). A row that needs no care
 * is written from the values at once. All others, such as those with a quote or a formula in a text, become cells, and
 * `csv-cells.ts` stays the only place that escapes. A property test holds both equal.
 *
 * The server once put the lines together. It took 20 µs for each, more than half of it to search them for what has to
 * be escaped, which this process does in 1 µs.
 */

/** How the cells of a column are written; each kind is a function of `csv-cells.ts`. */
export type CellKind = 'text' | 'freeText' | 'amountOrText' | 'amount' | 'count' | 'date';

/** A finished line, or the cells of a row that has to be escaped. */
export type LineOrCells = string | readonly Cell[];

/** A column of a line. */
export interface RowColumn {
  readonly kind: CellKind;
  /** The place of its value in the row, or a text that follows from the values and never has to be escaped. */
  readonly value: number | ((values: readonly string[]) => string);
}

/** How the values of a row are sent: numbers and dates first, then texts, then what people or senders wrote. */
export interface RowForm {
  /** How many values come first that nobody can choose. */
  readonly bare: number;
  /** How many come last that people or senders wrote. */
  readonly free: number;
  /** What stands for null. */
  readonly nullText: string;
}

/**
 * Everything that `csv-cells.ts` might change in a text: a quote, a starter of a formula at the beginning after
 * whatever is neither letter nor digit, or after a separator. It may find too much, but never too little.
 */
const escapable = new RegExp(
  `"|${valueMark}(?:[\\t\\r\\n]|[^${valueMark}0-9A-Za-z]*[${starters}])|[;,|\\t\\r\\n][${starters}]`,
);

/** 13 digits as a card number has them, not behind a letter or digit. */
const cardLike = new RegExp(`[^0-9A-Za-z][0-9](?:${anySeparator}?[0-9]){12}`);

/** Writes the rows of some columns. */
export class RowLines {
  readonly #columns: readonly RowColumn[];
  readonly #form: RowForm;
  readonly #format: CsvFormat;

  constructor(columns: readonly RowColumn[], form: RowForm, format: CsvFormat) {
    this.#columns = columns;
    this.#form = form;
    this.#format = format;
  }

  /**
   * @param row the marked values, or JSON
   * @param values those of the row
   */
  write(row: string, values: readonly string[]): LineOrCells {
    return isMarked(row) && this.#needsNoCare(row) ? this.#line(values) : this.#cells(values);
  }

  #needsNoCare(row: string): boolean {
    if (row.length > longestCell) return false;
    let texts = 0;
    for (let count = 0; count < this.#form.bare; count += 1) texts = row.indexOf(valueMark, texts + 1);
    let free = row.length;
    for (let count = 0; count < this.#form.free; count += 1) free = row.lastIndexOf(valueMark, free - 1);
    return !escapable.test(row.slice(texts)) && !cardLike.test(row.slice(free));
  }

  #line(values: readonly string[]): string {
    const { delimiter } = this.#format;
    let line = '';
    for (let index = 0; index < this.#columns.length; index += 1) {
      if (index > 0) line += delimiter;
      const column = this.#columns[index];
      if (column === undefined) continue;
      const value = this.#valueIn(column, values);
      if (value !== '') line += this.#cell(column.kind, value);
    }
    return `${line}\r\n`;
  }

  #cell(kind: CellKind, value: string): string {
    switch (kind) {
      case 'text':
      case 'freeText':
        return `"${value}"`;
      case 'amountOrText': {
        const amount = storedAmount(value);
        return amount === null ? `"${value}"` : this.#amount(amount);
      }
      case 'amount':
        return this.#amount(BigInt(value));
      case 'count':
      case 'date':
        return value;
    }
  }

  #amount(amountMinor: bigint): string {
    const { decimalSeparator } = this.#format;
    const amount = formatAmount(amountMinor);
    return decimalSeparator === '.' ? amount : amount.replace('.', decimalSeparator);
  }

  #cells(values: readonly string[]): Cell[] {
    return this.#columns.map((column) => cellOf(column.kind, this.#valueIn(column, values)));
  }

  /** Null and the empty text are both an empty cell. */
  #valueIn({ value }: RowColumn, values: readonly string[]): string {
    if (typeof value !== 'number') return value(values);
    const text = values[value] ?? '';
    return text === this.#form.nullText ? '' : text;
  }
}

/** An empty value is an empty cell, whatever its kind. */
function cellOf(kind: CellKind, value: string): Cell {
  if (value === '') return null;
  switch (kind) {
    case 'text':
      return textCell(value);
    case 'freeText':
      return freeTextCell(value);
    case 'amountOrText':
      return amountOrTextCell(value);
    case 'amount':
      return BigInt(value);
    case 'date':
      return dateCell(value);
    case 'count':
      return Number(value);
  }
}
