import { discrepancyCodes, type Severity } from '../findings/discrepancy-codes.js';
import type { RunOutcome } from '../outcome.js';
import { formatAmount } from '../values/money.js';

/** The open discrepancies of one code and severity, with their amounts per currency as `123.45`. */
export interface CountedDiscrepancies {
  readonly severity: Severity;
  readonly code: string;
  readonly withinTolerance: boolean;
  readonly count: number;
  readonly amounts: readonly { readonly amount: string; readonly currency: string }[];
}

/**
 * The discrepancies of an outcome by code and severity, in the order of the catalogue, which is that of the
 * specification. All findings of a code have the severity of the catalogue, except an AMOUNT_MISMATCH within the
 * tolerance.
 */
export function discrepanciesBySeverity(discrepancies: RunOutcome['discrepancies']): CountedDiscrepancies[] {
  const { byCode, amounts, withinTolerance = [] } = discrepancies;
  const known: Readonly<Record<string, { readonly severity: Severity }>> = discrepancyCodes;
  const order = Object.keys(discrepancyCodes);
  return Object.entries(byCode)
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .flatMap(([code, number]) => {
      const within = code === 'AMOUNT_MISMATCH' ? withinTolerance : [];
      const beyond = amounts
        .filter((each) => each.code === code)
        .map((each) => without(each, within))
        .filter(({ count }) => count > 0);
      const severity = known[code]?.severity ?? 'error';
      const count = number - countOf(within);
      return [
        { severity, code, withinTolerance: false, count, amounts: beyond },
        { severity: 'info' as const, code, withinTolerance: true, count: countOf(within), amounts: within },
      ];
    })
    .filter(({ count }) => count > 0);
}

type Amount = NonNullable<RunOutcome['discrepancies']['withinTolerance']>[number];

function without({ currency, count, amount }: Amount, within: readonly Amount[]): Amount {
  const part = within.find((each) => each.currency === currency);
  if (part === undefined) return { currency, count, amount };
  return { currency, count: count - part.count, amount: formatAmount(minor(amount) - minor(part.amount)) };
}

const countOf = (amounts: readonly Amount[]) => amounts.reduce((sum, { count }) => sum + count, 0);

/** A sum may have more digits than an amount of a file. */
const minor = (amount: string) => BigInt(amount.replace('.', ''));
