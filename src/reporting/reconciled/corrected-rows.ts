import type { Tx } from '../../db/client.js';
import type { RawRow } from '../../settlement-file/read-rows.js';
import { writeCells } from '../../settlement-file/write-row.js';
import type { FileId } from '../../values/ids.js';

/**
 * The corrected rows of a file by their line, as rows of a file (design 4.9): the reconciled file has them in place of
 * the rejected ones. A corrected row that is not a record yet is not taken, because no result belongs to it.
 */
export async function correctedRows(tx: Tx, fileId: FileId): Promise<ReadonlyMap<number, RawRow>> {
  const rows = await tx<{ line: number; cells: readonly string[] }[]>`
    select line, cells from row_corrections where file_id = ${fileId}`;
  return new Map(
    rows.map(({ line, cells }) => {
      const text = writeCells(cells);
      const bytes = Buffer.from(text, 'utf8');
      const quotedCells = text.includes('"') ? cells : null;
      return [line, { line, bytes, start: 0, end: bytes.length, quotedCells }];
    }),
  );
}
