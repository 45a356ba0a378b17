import { ReconError } from './errors.js';
import { formatAmount } from './values/money.js';

/**
 * Conservation (design 1): no money row is ever lost or counted twice. Every step counts rows and adds up amounts on
 * both of its sides, and compares the two before it commits or publishes.
 */

/** Sums in hundredths by currency. */
export type SumsByCurrency = ReadonlyMap<string, bigint>;

/** A currency whose two sums differ, with both as `123.45`. */
export interface SumDifference {
  readonly currency: string;
  readonly expected: string;
  readonly actual: string;
}

/** The currencies whose sums differ, in order. A currency that one side lacks has the sum 0 there. */
export function differingSums(expected: SumsByCurrency, actual: SumsByCurrency): SumDifference[] {
  return [...new Set([...expected.keys(), ...actual.keys()])]
    .sort()
    .map((currency) => ({
      currency,
      expectedMinor: expected.get(currency) ?? 0n,
      actualMinor: actual.get(currency) ?? 0n,
    }))
    .filter(({ expectedMinor, actualMinor }) => expectedMinor !== actualMinor)
    .map(({ currency, expectedMinor, actualMinor }) => ({
      currency,
      expected: formatAmount(expectedMinor),
      actual: formatAmount(actualMinor),
    }));
}

/**
 * The failure when the two sides of a step differ.
 *
 * @param difference which counts or sums differ
 * @param consequence a sentence that says what was not done
 */
export function disagreement(difference: string, consequence: string): ReconError {
  return new ReconError('CONTROL_TOTALS_DISAGREE', `Control totals disagree: ${difference}. ${consequence}`);
}
