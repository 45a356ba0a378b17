import type postgres from 'postgres';
import type { Tx } from '../../db/client.js';
import { readAhead } from '../../db/read-ahead.js';
import { selectRowTexts } from '../../db/row-texts.js';
import { formatAmount } from '../../values/money.js';
import { isMarked, valueMark, valuesOfRow } from '../../values/row-texts.js';
import {
  amountOrTextCell,
  dateCell,
  freeTextCell,
  longestCell,
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
type CellKind = 'text' | 'freeText' | 'amountOrText' | 'amount' | 'count' | 'date';

export interface LineColumn {
  /** In the header; null for a column that is read, but is not part of the line. */
  readonly name: string | null;
  readonly kind: CellKind;
  /** In the statement. A date is selected as text, and amounts are hundredths. */
  readonly column: string;
}

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** A finished line, or the cells of a row that has to be escaped. */
export type LineOrCells = string | readonly Cell[];

/** Gets the values of some columns of each row. A value that is null is an empty text. */
export interface ColumnWatcher {
  /** Of the statement. */
  readonly columns: readonly string[];
  take(values: readonly string[]): void;
}

/** How many lines the server sends at a time; see `batchRows` of the items. */
const linesAtOnce = 150;

/**
 * @param rows a select of the columns, and of those that `order` names
 * @param order of the rows, over `i`
 * @param watcher gets each row before its line is written
 */
export async function* readLines(
  tx: Tx,
  columns: readonly LineColumn[],
  { rows, order }: { readonly rows: Fragment; readonly order: Fragment },
  format: CsvFormat,
  watcher?: ColumnWatcher,
): AsyncGenerator<LineOrCells[]> {
  const writer = new LineWriter(columns, format, watcher);
  const values = writer.sent.map(({ column }) => tx`coalesce(i.${tx(column)}::text, '')`);
  const batches = tx<{ line: string }[]>`${selectRowTexts(tx, { rows, values, order })}`.cursor(linesAtOnce);
  for await (const batch of readAhead(batches)) yield batch.map(({ line }) => writer.write(line));
}

const bareKinds: readonly CellKind[] = ['amount', 'count', 'date'];
const freeKinds: readonly CellKind[] = ['freeText', 'amountOrText'];

/**
 * Everything that `csv-cells.ts` might change in a text: a quote, a starter of a formula at the beginning after
 * whatever is neither letter nor digit, or after a separator. It may find too much, but never too little.
 */
const escapable = new RegExp(
  `"|${valueMark}(?:[\\t\\r\\n]|[^${valueMark}0-9A-Za-z]*[${starters}])|[;,|\\t\\r\\n][${starters}]`,
);

/** 13 digits as a card number has them, not behind a letter or digit. */
const cardLike = /[^0-9A-Za-z][0-9](?:[ -]?[0-9]){12}/;

/** Writes the rows of some columns. */
class LineWriter {
  /** In the order in which the server sends them: values that nobody can choose, then texts, then free texts. */
  readonly sent: readonly LineColumn[];
  readonly #format: CsvFormat;
  readonly #bareCount: number;
  readonly #freeCount: number;
  /** The place of each column among those that are sent. */
  readonly #places: readonly (readonly [kind: CellKind, place: number])[];
  readonly #watcher: ColumnWatcher | undefined;
  readonly #watchedPlaces: readonly number[];

  constructor(columns: readonly LineColumn[], format: CsvFormat, watcher: ColumnWatcher | undefined) {
    const bare = columns.filter(({ kind }) => bareKinds.includes(kind));
    const free = columns.filter(({ kind }) => freeKinds.includes(kind));
    this.sent = [...bare, ...columns.filter(({ kind }) => kind === 'text'), ...free];
    this.#format = format;
    this.#bareCount = bare.length;
    this.#freeCount = free.length;
    this.#places = columns
      .filter(({ name }) => name !== null)
      .map((column) => [column.kind, this.sent.indexOf(column)]);
    this.#watcher = watcher;
    this.#watchedPlaces = (watcher?.columns ?? []).map((watched) =>
      this.sent.findIndex(({ column }) => column === watched),
    );
  }

  /** @param row of {@link readLines}: the marked values, or JSON */
  write(row: string): LineOrCells {
    const values = valuesOfRow(row);
    this.#watcher?.take(this.#watchedPlaces.map((place) => values[place] ?? ''));
    return isMarked(row) && this.#needsNoCare(row) ? this.#line(values) : this.#cells(values);
  }

  #needsNoCare(row: string): boolean {
    if (row.length > longestCell) return false;
    let texts = 0;
    for (let count = 0; count < this.#bareCount; count += 1) texts = row.indexOf(valueMark, texts + 1);
    let free = row.length;
    for (let count = 0; count < this.#freeCount; count += 1) free = row.lastIndexOf(valueMark, free - 1);
    return !escapable.test(row.slice(texts)) && !cardLike.test(row.slice(free));
  }

  #line(values: readonly string[]): string {
    let line = '';
    for (const [index, [kind, place]] of this.#places.entries()) {
      if (index > 0) line += this.#format.delimiter;
      const value = values[place] ?? '';
      if (value !== '') line += this.#cell(kind, value);
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
    return this.#places.map(([kind, place]) => cellOf(kind, values[place] ?? ''));
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
