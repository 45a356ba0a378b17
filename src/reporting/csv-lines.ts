import type postgres from 'postgres';
import type { Tx } from '../db/client.js';
import { readAhead } from '../db/read-ahead.js';
import {
  amountOrTextCell,
  dateCell,
  freeTextCell,
  starters,
  textCell,
  type Cell,
  type CsvFormat,
} from './csv-cells.js';

/*
 * The lines of a long list, put together by the server. As rows of 37 values, each of which became an object and then a
 * cell, a finding took 28 µs of this process; as a finished line it takes 3 µs, and 9 µs more of the server, which
 * works beside us. Only rows that need no care are finished there. All others, such as those with a quote or a
 * formula in a text, arrive as values and are written by `csv-cells.ts`, which stays the only place that escapes.
 * A property test holds both equal.
 */

/** How the cells of a column are written; each kind is a function of `csv-cells.ts`. */
type CellKind = 'text' | 'freeText' | 'amountOrText' | 'amount' | 'count' | 'date';

export interface LineColumn {
  /** In the header. */
  readonly name: string;
  readonly kind: CellKind;
  /** In the statement. A date is selected as text, and amounts are hundredths. */
  readonly column: string;
}

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** A finished line, or the cells of a row that has to be escaped. */
export type LineOrCells = string | readonly Cell[];

/** Of the server at a time; see `batchRows` of the items. */
const linesAtOnce = 150;

/**
 * @param rows a select of the columns in the order of the list, which the server keeps, because nothing else sorts. Behind
 *   `offset 0`, so that it computes each value once, although a line refers to it several times.
 */
export async function* readLines(
  tx: Tx,
  columns: readonly LineColumn[],
  rows: Fragment,
  format: CsvFormat,
): AsyncGenerator<LineOrCells[]> {
  const batches = tx<{ line: string }[]>`
    select case when ${needsNoCare(tx)} then ${finishedLine(tx, columns, format)}
      else ${valuesAsJson(tx, columns)} end as line
    from (${rows} offset 0) i
    cross join lateral (select ${joined(tx, columns, texts)} as texts, ${joined(tx, columns, freeTexts)} as free offset 0) t`.cursor(
    linesAtOnce,
  );
  for await (const batch of readAhead(batches)) {
    yield batch.map(({ line }) => (isJson(line) ? cellsOf(line, columns) : line));
  }
}

/** A line begins with a quote, a separator, a digit or a sign. */
const isJson = (line: string) => line.startsWith('[');

/** Between texts that are searched together: a control character, so that a text has it only by malice. */
const boundary = String.raw`\u001f`;

/**
 * Everything that `csv-cells.ts` might change in a text: a quote, a starter of a formula at the beginning behind whatever is
 * neither letter nor digit, or behind a separator. It may find too much, but never too little.
 */
const escapable = `"|(^|${boundary})([\\t\\r\\n]|[^${boundary}0-9A-Za-z]*[${starters}])|[;,|\\t\\r\\n][${starters}]`;

/** 13 digits as a card number has them, not behind a letter or digit. */
const cardLike = '(^|[^0-9A-Za-z])[0-9]([ -]?[0-9]){12}';

/** No text of a spreadsheet's cell is longer, in bytes or in characters. */
const certainlyFits = 32_767;

const texts: readonly CellKind[] = ['text', 'freeText', 'amountOrText'];
const freeTexts: readonly CellKind[] = ['freeText', 'amountOrText'];

function needsNoCare(tx: Tx): Fragment {
  return tx`t.texts !~ ${escapable} and t.free !~ ${cardLike} and octet_length(t.texts) <= ${certainlyFits}`;
}

/** The texts of some kinds as one, so that one search is enough. */
function joined(tx: Tx, columns: readonly LineColumn[], kinds: readonly CellKind[]): Fragment {
  const ofKinds = columns.filter(({ kind }) => kinds.includes(kind));
  return tx`(concat_ws(chr(31) ${ofKinds.map(({ column }) => tx`, ${valueOf(tx, column)}`)}) collate "C")`;
}

function finishedLine(tx: Tx, columns: readonly LineColumn[], format: CsvFormat): Fragment {
  const cells = columns.map((column) => tx`, coalesce(${finishedCell(tx, column, format)}, '')`);
  return tx`concat_ws(${format.delimiter} ${cells}) || chr(13) || chr(10)`;
}

function finishedCell(tx: Tx, { kind, column }: LineColumn, { decimalSeparator }: CsvFormat): Fragment {
  const value = valueOf(tx, column);
  const text = tx`'"' || nullif(${value}, '') || '"'`;
  const inFormat = (amount: Fragment) =>
    decimalSeparator === '.' ? amount : tx`replace(${amount}, '.', ${decimalSeparator})`;
  switch (kind) {
    case 'text':
    case 'freeText':
      return text;
    case 'amountOrText':
      return tx`case when ${value} ~ '^-?[0-9]+[.][0-9]{2}$' then ${inFormat(tx`${value}::numeric::text`)}
        else ${text} end`;
    case 'amount':
      return inFormat(tx`(${value} * 0.01)::text`);
    case 'count':
      return tx`${value}::text`;
    case 'date':
      return value;
  }
}

/** Amounts are texts there: JSON has no whole numbers beyond 2^53. */
function valuesAsJson(tx: Tx, columns: readonly LineColumn[]): Fragment {
  const values = columns.map(({ kind, column }, index) => {
    const value = valueOf(tx, column);
    return tx`${index === 0 ? tx`` : tx`, `}${kind === 'amount' ? tx`${value}::text` : value}`;
  });
  return tx`json_build_array(${values})::text`;
}

function cellsOf(json: string, columns: readonly LineColumn[]): Cell[] {
  // The server made it from the columns, which have the types of their kinds.
  const values = JSON.parse(json) as (string | number | null)[];
  return columns.map(({ kind }, index) => cellOf(kind, values[index] ?? null));
}

function cellOf(kind: CellKind, value: string | number | null): Cell {
  if (typeof value !== 'string') return value;
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

const valueOf = (tx: Tx, column: string): Fragment => tx`i.${tx(column)}`;
