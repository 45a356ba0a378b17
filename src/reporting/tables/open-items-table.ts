import type { Item } from '../../findings/open-item.js';
import { amountOrTextCell, dateCell, freeTextCell, textCell, type Cell } from './csv-cells.js';
import { openItemColumns, type ItemColumn } from './open-items-columns.js';
import type { Table } from './write-table.js';

/**
 * `open-items.csv`: every item of the whole database that is open, waiting or lapsed (design 6), and the sheet in which
 * decisions are given back.
 *
 * @param items in the order of the report
 */
export function openItemsTable(items: AsyncIterable<readonly Item[]>): Table {
  return { name: 'open-items', header: openItemColumns.map(({ name }) => name), rows: cellsOf(items) };
}

async function* cellsOf(items: AsyncIterable<readonly Item[]>): AsyncGenerator<Cell[][]> {
  for await (const batch of items) {
    yield batch.map((item) => openItemColumns.map((column) => cellOf(column, item)));
  }
}

function cellOf(column: ItemColumn, item: Item): Cell {
  switch (column.kind) {
    case 'id':
      return textCell(column.value(item));
    case 'text':
      return freeTextCell(column.value(item));
    case 'amountOrText':
      return amountOrTextCell(column.value(item));
    case 'date':
      return dateCell(column.value(item));
    case 'amount':
    case 'count':
      return column.value(item);
  }
}
