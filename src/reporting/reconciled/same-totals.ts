import { differingSums, disagreement } from '../../differing-sums.js';
import type { FileTotals } from '../totals/file-totals.js';
import { nothingPublished } from '../folder/report-file.js';

/**
 * Compares what was written with what is stored.
 *
 * @throws ReconError CONTROL_TOTALS_DISAGREE when a row or a cent is missing or too many.
 */
export function assertSameTotals(name: string, stored: FileTotals, written: FileTotals): void {
  const sums = (['amounts', 'settlementAmounts'] as const).flatMap((which) =>
    differingSums(stored[which], written[which]).map(
      ({ currency, expected, actual }) =>
        `${columnOf[which]} in ${currency} is ${expected} stored and ${actual} written`,
    ),
  );
  const rows =
    stored.rows === written.rows ? [] : [`${stored.rows} rows are stored and ${written.rows} were written`];
  const lines =
    rows.length > 0 || stored.lines === written.lines ? [] : ['the stored rows are of other lines'];
  const differences = [...rows, ...lines, ...sums];
  if (differences.length === 0) return;
  throw disagreement(
    `the reconciled file of ${name} does not hold what is stored (${differences.join('; ')})`,
    nothingPublished,
  );
}

const columnOf = { amounts: 'Amount', settlementAmounts: 'SettlementAmount' };
