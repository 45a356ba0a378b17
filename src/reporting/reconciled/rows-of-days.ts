import type { Tx } from '../../db/client.js';
import { partOf, tableOfPart } from '../../db/parts/record-parts.js';
import type { RunScope } from '../../db/run-scope.js';
import type { FileId } from '../../values/ids.js';
import { isInRange } from '../totals/sum-accepted-rows.js';
import { outcomeOf, parseOutcome, type RowResult } from './row-result.js';

/** An accepted row of a file whose day is in range. */
export interface RowOfDays {
  readonly line: number;
  /** Of its record. */
  readonly fingerprint: string;
  readonly result: RowResult;
}

/** Their lines are about half a megabyte of the reconciled file. */
const rowsAtOnce = 1024;

/**
 * The accepted rows of a file in a range of days with their results, in the order of their lines: found by their date,
 * so that a day costs the same in a file of that day and in a file of a month.
 *
 * The part of the records is named and the results are looked up one by one: whatever the planner knows, it can then
 * read neither all records of the file nor all its results.
 */
export async function* rowsOfDays(
  tx: Tx,
  scope: Extract<RunScope, { kind: 'range' }>,
  file: { readonly id: FileId; readonly rows_already_known: number },
): AsyncGenerator<readonly RowOfDays[], void, undefined> {
  const part = tableOfPart(await partOf(tx, file.id));
  const own = tx`select r.line, r.fingerprint, r.file_id as of_file, r.line as of_line
    from ${tx(part)} r where r.file_id + 0 = ${file.id} and ${isInRange(tx, scope)}`;
  const known =
    file.rows_already_known > 0
      ? tx`union all select k.line, r.fingerprint, r.file_id, r.line from already_known_rows k
          join settlement_records r on r.file_id = k.record_file_id and r.line = k.record_line
          where k.file_id = ${file.id} and ${isInRange(tx, scope)}`
      : tx``;
  const batches = tx<{ row: string }[]>`
    select r.line || ';' || encode(uuid_send(r.fingerprint), 'hex') || ';' || ${outcomeOf(tx)} as row
    from (${own} ${known} offset 0) r
    left join lateral (select * from record_matches m
      where m.file_id = r.of_file and m.line = r.of_line offset 0) m on true
    left join lateral (select l.chargeback_id from chargeback_links l
      where l.file_id = r.of_file and l.line = r.of_line and l.active offset 0) l on true
    order by r.line`.cursor(rowsAtOnce);
  for await (const batch of batches) yield batch.map(({ row }) => parseRow(row));
}

function parseRow(text: string): RowOfDays {
  const first = text.indexOf(';');
  const second = text.indexOf(';', first + 1);
  return {
    line: Number(text.slice(0, first)),
    fingerprint: text.slice(first + 1, second),
    result: parseOutcome(text.slice(second + 1)),
  };
}
