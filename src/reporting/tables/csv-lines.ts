import type { Fragment, Tx } from '../../db/client.js';
import { readRowTexts } from '../../db/row-texts.js';
import { valuesOfRow } from '../../values/row-texts.js';
import type { CsvFormat } from './csv-cells.js';
import { RowLines, type CellKind, type LineOrCells, type RowForm } from './row-lines.js';

/** A column of a table whose lines the database writes. */
export interface LineColumn {
  /** In the header; null for a column that is read, but is not part of the line. */
  readonly name: string | null;
  readonly kind: CellKind;
  /** In the statement. A date is selected as text, and amounts are hundredths. */
  readonly column: string;
}

/** Gets the values of some columns of each row. A value that is null is an empty text. */
export interface ColumnWatcher {
  /** Of the statement. */
  readonly columns: readonly string[];
  take(values: readonly string[]): void;
}

/** How many lines the server sends at a time; see `batchRows` of the items. */
const linesAtOnce = 150;

/** A long list, of which each row is a line. */
export interface LineList {
  readonly columns: readonly LineColumn[];
  /** A select of the columns, and of those that `order` names. */
  readonly rows: Fragment;
  /** Over `i`, the row. */
  readonly order: Fragment;
  /** Gets each row before its line is written. */
  readonly watcher?: ColumnWatcher;
}

/** Reads the rows of a long list as lines (`row-lines.ts`). */
export async function* readLines(
  tx: Tx,
  { columns, rows, order, watcher }: LineList,
  format: CsvFormat,
): AsyncGenerator<LineOrCells[]> {
  const { sent, form } = orderToSend(columns);
  const values = sent.map(({ column }) => tx`coalesce(i.${tx(column)}::text, '')`);
  const written = columns.filter(({ name }) => name !== null);
  const lines = new RowLines(
    written.map((column) => ({ kind: column.kind, value: sent.indexOf(column) })),
    form,
    format,
  );
  const watched = watcher?.columns.map((name) => sent.findIndex(({ column }) => column === name)) ?? [];
  for await (const batch of readRowTexts(tx, { rows, values, order }, linesAtOnce)) {
    yield batch.map((line) => {
      const row = valuesOfRow(line);
      watcher?.take(watched.map((place) => row[place] ?? ''));
      return lines.write(line, row);
    });
  }
}

const bareKinds: readonly CellKind[] = ['amount', 'count', 'date'];
const freeKinds: readonly CellKind[] = ['freeText', 'amountOrText'];

/** In the order in which the server sends them: values that nobody can choose, then texts, then free texts. */
function orderToSend(columns: readonly LineColumn[]): {
  readonly sent: readonly LineColumn[];
  readonly form: RowForm;
} {
  const bare = columns.filter(({ kind }) => bareKinds.includes(kind));
  const free = columns.filter(({ kind }) => freeKinds.includes(kind));
  const sent = [...bare, ...columns.filter(({ kind }) => kind === 'text'), ...free];
  return { sent, form: { bare: bare.length, free: free.length, nullText: '' } };
}
