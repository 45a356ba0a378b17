import type { Tx } from '../../db/client.js';
import { cellsOf, type RawRow } from '../../settlement-file/read-rows.js';
import { withReceivedTexts } from '../../settlement-file/received-texts.js';
import { writeCells } from '../../settlement-file/write-row.js';
import type { FileId } from '../../values/ids.js';

/** The cells of corrected rows by their line. */
export type CorrectedCells = ReadonlyMap<number, readonly string[]>;

/** The corrected rows of a file. Of those that are not records yet none is taken, because no result belongs to them. */
export async function correctedCells(tx: Tx, fileId: FileId): Promise<CorrectedCells> {
  const rows = await tx<{ line: number; cells: readonly string[] }[]>`
    select line, cells from row_corrections where file_id = ${fileId}`;
  return new Map(rows.map(({ line, cells }) => [line, cells]));
}

/**
 * A row of a file, or the corrected row that the reconciled file has in its place (design 4.9). Texts in which only
 * card numbers are masked are as they were received.
 */
export function correctedRow(row: RawRow, corrected: CorrectedCells): RawRow {
  const changed = corrected.get(row.line);
  if (changed === undefined) return row;
  const cells = withReceivedTexts(changed, cellsOf(row));
  const text = writeCells(cells);
  const bytes = Buffer.from(text, 'utf8');
  const quotedCells = text.includes('"') ? cells : null;
  return { line: row.line, bytes, start: 0, end: bytes.length, quotedCells };
}
