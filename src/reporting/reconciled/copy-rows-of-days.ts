import { disagreement } from '../../differing-sums.js';
import type { Tx } from '../../db/client.js';
import { isDivided } from '../../db/shards/is-divided.js';
import { readAhead } from '../../db/read-ahead.js';
import { headerLine } from '../../settlement-file/columns.js';
import { isRowOf } from '../../settlement-file/read-chosen-rows.js';
import type { RawRow } from '../../settlement-file/read-rows.js';
import { ArchivedLines, readRowPlaces, type StoredRowPlaces } from './archived-lines.js';
import { correctedRow } from './corrected-rows.js';
import { BackgroundWriter } from '../folder/background-writer.js';
import type { ReconcilableFile, Reconciliation, WrittenRows, Zipped } from './reconciliation.js';
import { nothingPublished } from '../folder/report-file.js';
import { rowsOfDays, type RowOfDays } from './rows-of-days.js';
import { hasCrowdedRows } from './window-cuts.js';

/** Beyond this share of a file, reading all of it takes less time. */
const largestShare = 1 / 4;

/**
 * The places of the rows of a file of which a re-run reports few; null for a file that is to be read whole: one whose
 * days are all in the range, one without places, one of which {@link hasCrowdedRows} says that it would need too much
 * memory, and with shards, whose records are not looked up one by one.
 */
export async function placesOfDays(
  tx: Tx,
  file: ReconcilableFile,
  { scope, stored }: Reconciliation,
): Promise<StoredRowPlaces | null> {
  const { first_settlement_date: first, last_settlement_date: last } = file;
  if (scope.kind === 'run' || first === null || last === null) return null;
  if (first >= scope.from && last <= scope.to) return null;
  const inRange = (await stored())?.rows ?? 0;
  if (inRange > file.rows_accepted * largestShare || (await isDivided(tx))) return null;
  if (await hasCrowdedRows(tx, file)) return null;
  return readRowPlaces(tx, file.id);
}

/**
 * Copies only the rows of some days, and reads little else of the file: a re-run of a day costs the same whether its
 * rows came in a file of that day or of a month. The SHA-256 of the file stays unchecked; instead, each row is compared
 * with the fingerprint of its record.
 */
export async function zipRowsOfDays(
  tx: Tx,
  zipped: Zipped & { readonly places: StoredRowPlaces },
  { scope, task, stopIfAborted }: Reconciliation,
): Promise<WrittenRows> {
  if (scope.kind === 'run') throw new Error('a run reports whole files');
  const { file, report, archived, zipper, places } = zipped;
  const writer = await BackgroundWriter.begin(report, `${headerLine}\n`);
  const lines = await ArchivedLines.open(archived, places);
  let skipped = 0;
  try {
    for await (const rows of readAhead(rowsOfDays(tx, scope, file))) {
      stopIfAborted();
      skipped += await zipRows(rows, lines, zipped);
      await writer.write(zipper.take());
    }
    await writer.end();
    task.advance(file.rows_accepted);
    return { written: zipper.totals(), skipped };
  } finally {
    await lines.close();
  }
}

/**
 * Copies some rows of a file together with their results.
 *
 * @returns how many of them the archive does not have
 */
async function zipRows(
  rows: readonly RowOfDays[],
  lines: ArchivedLines,
  { file, zipper, corrected }: Zipped,
): Promise<number> {
  const byLine = new Map(rows.map((row) => [row.line, row]));
  for await (const piece of lines.rows(rows.map(({ line }) => line))) {
    for (const row of piece) {
      const found = byLine.get(row.line);
      if (found === undefined) continue;
      byLine.delete(row.line);
      const chosen = correctedRow(row, corrected);
      if (chosen === row) assertSameRow(file, row, found);
      zipper.add(chosen, found.result);
    }
  }
  return byLine.size;
}

function assertSameRow(file: ReconcilableFile, row: RawRow, { fingerprint }: RowOfDays): void {
  if (isRowOf(row, fingerprint)) return;
  throw disagreement(
    `line ${row.line} of ${file.name} in the archive is not the row that is stored`,
    nothingPublished,
  );
}
