import { ReconError } from '../errors.js';
import { formatAmount } from '../values/money.js';
import type { FileTotals } from './control-totals.js';
import type { SumsByCurrency } from './currency-sums.js';

/**
 * Holds what was written against what is stored.
 *
 * @throws ReconError CONTROL_TOTALS_DISAGREE when a row or a cent is missing or too many.
 */
export function assertConserved(name: string, stored: FileTotals, written: FileTotals): void {
  const differences = [
    ...(stored.rows === written.rows
      ? []
      : [`${stored.rows} rows are stored and ${written.rows} were written`]),
    ...compareSums('Amount', stored.amounts, written.amounts),
    ...compareSums('SettlementAmount', stored.settlementAmounts, written.settlementAmounts),
  ];
  if (differences.length === 0) return;
  throw new ReconError(
    'CONTROL_TOTALS_DISAGREE',
    `The reconciled file of ${name} does not hold what was stored: ${differences.join('; ')}.`,
  );
}

function compareSums(what: string, stored: SumsByCurrency, written: SumsByCurrency): string[] {
  return [...new Set([...stored.keys(), ...written.keys()])]
    .sort()
    .filter((code) => (stored.get(code) ?? 0n) !== (written.get(code) ?? 0n))
    .map((code) => {
      const sum = (sums: SumsByCurrency) => formatAmount(sums.get(code) ?? 0n);
      return `${what} in ${code} is ${sum(stored)} stored and ${sum(written)} written`;
    });
}
