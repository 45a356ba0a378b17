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

/** COPY of records into their table or a staging table of the same columns. */
export function copyStatement(table: string): string {
  return `copy ${table} (${storedColumns.join(', ')}) from stdin (format csv, delimiter ';')`;
}
