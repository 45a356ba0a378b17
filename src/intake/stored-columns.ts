import { getTableColumns } from 'drizzle-orm';
import { settlementRecords } from '../db/schema/settlements.js';
import { columns } from '../settlement-file/columns.js';

/**
 * The columns of `settlement_records` in the order of COPY input: file id, line, fingerprint, occurrence and
 * the 36 of the file, as the schema declares them.
 */
export const storedColumns: readonly string[] = Object.values(getTableColumns(settlementRecords)).map(
  (column) => column.name,
);

if (storedColumns.length !== 4 + columns.length)
  throw new Error('settlement_records does not fit the 36 columns');

/**
 * COPY of records into their table or a staging table of the same columns. Uses the text format, which the server
 * parses a fifth faster than CSV (`npm run bench`); an empty cell is null.
 *
 * @param isNew whether the table was created in this transaction and savepoint: rows are then written as frozen, so
 *   later readers need not mark each page as committed. Once committed, every snapshot sees them, even an older one;
 *   readers of records therefore check the state of the file, which older snapshots do not see
 */
export function copyStatement(table: string, isNew: boolean): string {
  const options = `format text, delimiter ';', null ''${isNew ? ', freeze' : ''}`;
  return `copy ${table} (${storedColumns.join(', ')}) from stdin (${options})`;
}

/** A cell as this COPY expects it: an ordinary one is left as it is. */
export function copyCell(cell: string): string {
  return /[\\;\n\r]/.test(cell)
    ? cell.replace(/[\\;]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : cell;
}
