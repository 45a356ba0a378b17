import { itemForm, itemFields, itemOfValues, type TextItem } from '../../findings/item-texts.js';
import type { CsvFormat } from './csv-cells.js';
import { openItemColumns, type ItemColumn } from './open-items-columns.js';
import { RowLines, type LineOrCells, type RowColumn } from './row-lines.js';
import type { Table } from './write-table.js';

/**
 * `open-items.csv`: every item of the whole database that is open, waiting or lapsed (design 6), and the sheet in which
 * decisions are given back.
 *
 * @param items in the order of the report
 */
export function openItemsTable(items: AsyncIterable<readonly TextItem[]>, format: CsvFormat): Table {
  return {
    name: 'open-items',
    header: openItemColumns.map(({ name }) => name),
    rows: linesOf(items, format),
  };
}

async function* linesOf(
  items: AsyncIterable<readonly TextItem[]>,
  format: CsvFormat,
): AsyncGenerator<LineOrCells[]> {
  const lines = new RowLines(openItemColumns.map(rowColumn), itemForm, format);
  for await (const batch of items) yield batch.map(({ text, values }) => lines.write(text, values));
}

function rowColumn(column: ItemColumn): RowColumn {
  switch (column.kind) {
    case 'derived':
      return { kind: 'text', value: (values) => column.textOf(itemOfValues(values)) ?? '' };
    case 'id':
      return { kind: 'text', value: itemFields.indexOf(column.field) };
    case 'text':
      return { kind: 'freeText', value: itemFields.indexOf(column.field) };
    case 'amountOrText':
    case 'amount':
    case 'count':
    case 'date':
      return { kind: column.kind, value: itemFields.indexOf(column.field) };
  }
}
