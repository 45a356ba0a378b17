import type { Tx } from '../../db/client.js';
import { anyInPieces, inPortions, JoinedPieces } from '../../db/long-texts.js';
import { readAhead } from '../../db/read-ahead.js';
import { withdrawnFiles } from '../../db/run-scope.js';
import { correctionHeader, readableCells } from '../../settlement-file/correction-sheet.js';
import { freeTextCell, textCell, type Cell } from './csv-cells.js';
import type { Table } from './write-table.js';

interface Row {
  file: string;
  sha256: string;
  line: number;
  raw_text: string;
  issues: readonly { readonly message: string }[];
}

/**
 * `corrections.csv` (design 4.9): the rejected rows of all files that nobody has corrected yet, as a sheet to correct
 * them in and give back. The files that are withdrawn are left out, and so are those that were rejected as a whole, of
 * which no row is stored.
 */
export function correctionsTable(tx: Tx): Table {
  return { name: 'corrections', header: correctionHeader, rows: readRows(tx) };
}

async function* readRows(tx: Tx): AsyncGenerator<Cell[][]> {
  const joined = new JoinedPieces();
  const batches = tx<Row[]>`
    select f.name as file, f.sha256, q.line, ${anyInPieces(tx, tx`q.raw_text`)} as raw_text, q.issues from rejected_rows q
    join settlement_files f on f.id = q.file_id and f.status = 'loaded'
    where not exists (select from row_corrections c where c.file_id = q.file_id and c.line = q.line)
      and q.file_id not in (${withdrawnFiles(tx)})
    order by f.name collate "C", f.id, q.line`.cursor(200);
  for await (const batch of readAhead(batches)) {
    const whole = batch.flatMap((row) => {
      const rawText = joined.addAny(row.raw_text);
      return rawText === null ? [] : [{ ...row, raw_text: rawText }];
    });
    for (const rows of inPortions(whole, ({ raw_text: { length } }) => length)) yield rows.map(toCells);
  }
}

function toCells({ file, sha256, line, raw_text: rawText, issues }: Row): Cell[] {
  return [
    ...readableCells(rawText).map(freeTextCell),
    textCell(file),
    line,
    textCell(sha256),
    freeTextCell(issues.map(({ message }) => message).join(' ')),
  ];
}
