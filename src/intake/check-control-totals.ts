import type { Tx } from '../db/client.js';
import { placesOfRecords, repeatedRecords } from '../db/repeated-records.js';
import { tableOfPart, type RecordPart } from '../db/parts/record-parts.js';
import { differingSums, disagreement } from '../differing-sums.js';
import type { RowTally } from './tally-rows.js';
import type { FileId } from '../values/ids.js';

const notLoaded = 'The file was not loaded.';

interface Total {
  currency: string;
  count: bigint;
  sum: string;
}

/** A file whose rows are stored, and what was counted while it was read. */
export interface StoredFile {
  readonly fileId: FileId;
  /** Where its new records are. */
  readonly part: RecordPart;
  readonly tally: RowTally;
  /** How many of its accepted rows are records of other files. */
  readonly alreadyKnown: number;
}

/**
 * Checks, in production and before the commit, that everything read was stored: every accepted row is a record of
 * this file or a known one, and the amounts per currency equal the sums counted while reading.
 *
 * @throws ReconError CONTROL_TOTALS_DISAGREE
 */
export async function checkControlTotals(
  tx: Tx,
  { fileId, part, tally, alreadyKnown }: StoredFile,
): Promise<void> {
  // A part that holds only this file is read as a whole: without statistics on its ids, the server would use an index.
  const records = part.ownFile
    ? tx`${tx(tableOfPart(part))}`
    : tx`settlement_records where file_id = ${fileId}`;
  const stored = await tx<Total[]>`
    select currency, count(*) as count, sum(amount_minor)::text as sum from ${records} group by currency`;
  const known = alreadyKnown === 0 ? [] : await sumKnownRows(tx, fileId);
  const rows = [...stored, ...known].reduce((sum, total) => sum + total.count, 0n);
  if (rows !== BigInt(tally.accepted)) {
    throw disagreement(`${tally.accepted} rows were accepted, ${rows} are stored`, notLoaded);
  }
  const rejected = await tx<
    { count: bigint }[]
  >`select count(*) as count from rejected_rows where file_id = ${fileId}`;
  if (rejected[0]?.count !== BigInt(tally.rejected)) {
    throw disagreement(
      `${tally.rejected} rows were rejected, ${rejected[0]?.count.toString() ?? 'none'} are in quarantine`,
      notLoaded,
    );
  }
  for (const { currency, expected, actual } of differingSums(tally.sums, sumsOf([...stored, ...known]))) {
    throw disagreement(
      `the ${currency} amounts read sum to ${expected}, those stored to ${actual}`,
      notLoaded,
    );
  }
}

/** The amounts of the records of the rows that were already known. */
async function sumKnownRows(tx: Tx, fileId: FileId): Promise<readonly Total[]> {
  const records = repeatedRecords(tx, await placesOfRecords(tx, [fileId]), {
    rows: tx`select record_file_id as file_id, record_line as line from already_known_rows where file_id = ${fileId}`,
    kept: tx`k.line`,
    columns: tx`r.currency, r.amount_minor`,
    where: tx`true`,
  });
  return tx<Total[]>`
    select r.currency, count(*) as count, sum(r.amount_minor)::text as sum from (${records}) r group by r.currency`;
}

function sumsOf(totals: readonly Total[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { currency, sum } of totals) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(sum));
  return sums;
}
