import type { Tx } from '../db/client.js';
import { tableOfPart, type RecordPart } from '../db/record-parts.js';
import { ReconError } from '../errors.js';
import { formatAmount } from '../values/money.js';
import type { RowTally } from './tally-rows.js';

interface Total {
  currency: string;
  count: bigint;
  sum: string;
}

/**
 * Checks, in production and before the commit, that everything read was stored: every accepted row is a record of
 * this file or a known one, and the amounts per currency equal the sums counted while reading.
 * @throws ReconError CONTROL_TOTALS_DISAGREE
 */
export async function checkControlTotals(
  tx: Tx,
  fileId: number,
  part: RecordPart,
  tally: RowTally,
  alreadyKnown: number,
): Promise<void> {
  // A part that holds only this file is read as a whole: without statistics on its ids, the server would use an index.
  const records = part.ownFile
    ? tx`${tx(tableOfPart(part))}`
    : tx`settlement_records where file_id = ${fileId}`;
  const stored = await tx<Total[]>`
    select currency, count(*) as count, sum(amount_minor)::text as sum from ${records} group by currency`;
  const known =
    alreadyKnown === 0
      ? []
      : await tx<Total[]>`
          select r.currency, count(*) as count, sum(r.amount_minor)::text as sum
          from already_known_rows k
          join settlement_records r on r.file_id = k.record_file_id and r.line = k.record_line
          where k.file_id = ${fileId} group by r.currency`;
  const rows = [...stored, ...known].reduce((sum, total) => sum + total.count, 0n);
  if (rows !== BigInt(tally.accepted)) {
    throw disagreement(`${tally.accepted} rows were accepted, ${rows} are stored`);
  }
  const rejected = await tx<
    { count: bigint }[]
  >`select count(*) as count from rejected_rows where file_id = ${fileId}`;
  if (rejected[0]?.count !== BigInt(tally.rejected)) {
    throw disagreement(
      `${tally.rejected} rows were rejected, ${rejected[0]?.count.toString() ?? 'none'} are in quarantine`,
    );
  }
  compareSums(tally.sums, sumsOf([...stored, ...known]));
}

function sumsOf(totals: readonly Total[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { currency, sum } of totals) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(sum));
  return sums;
}

function compareSums(counted: ReadonlyMap<string, bigint>, stored: ReadonlyMap<string, bigint>): void {
  for (const currency of new Set([...counted.keys(), ...stored.keys()])) {
    const expected = counted.get(currency) ?? 0n;
    const actual = stored.get(currency) ?? 0n;
    if (expected !== actual) {
      throw disagreement(
        `the ${currency} amounts read sum to ${formatAmount(expected)}, those stored to ${formatAmount(actual)}`,
      );
    }
  }
}

function disagreement(what: string): ReconError {
  return new ReconError(
    'CONTROL_TOTALS_DISAGREE',
    `Control totals disagree: ${what}. The file was not loaded.`,
  );
}
