import type { RunOutcome } from '../../outcome.js';
import { formatAmount } from '../../values/money.js';
import { byBytes } from '../../values/by-bytes.js';

/** Open discrepancies of one code, severity and currency. */
interface AlikeDiscrepancies {
  readonly code: string;
  readonly severity: string;
  readonly currency: string;
  readonly count: number;
  /** As `statedMoney` defines it, in hundredths, without signs: opposite amounts would cancel each other out. */
  readonly amountMinor: bigint;
}

/** The discrepancies of one code and currency. */
interface Sum {
  readonly code: string;
  readonly currency: string;
  count: number;
  amountMinor: bigint;
}

/**
 * The counts of open discrepancies that a run returns (design 5): by code, and with their amounts by code and currency.
 *
 * Those AMOUNT_MISMATCH that are `info` because of a tolerance are counted apart, too: what counts is their severity
 * when they were found, and not the settings of today.
 */
export class DiscrepancyTally {
  readonly #sums = new Map<string, Sum>();
  readonly #within = new Map<string, Sum>();

  add(alike: AlikeDiscrepancies): void {
    addTo(this.#sums, alike);
    if (alike.code === 'AMOUNT_MISMATCH' && alike.severity === 'info') addTo(this.#within, alike);
  }

  counts(): RunOutcome['discrepancies'] {
    const sums = inOrder(this.#sums);
    const byCode: Record<string, number> = {};
    for (const { code, count } of sums) byCode[code] = (byCode[code] ?? 0) + count;
    const within = inOrder(this.#within);
    return {
      total: sums.reduce((total, { count }) => total + count, 0),
      byCode,
      amounts: sums.map(({ code, currency, count, amountMinor }) => ({
        code,
        currency,
        count,
        amount: formatAmount(amountMinor),
      })),
      ...(within.length === 0
        ? {}
        : {
            withinTolerance: within.map(({ currency, count, amountMinor }) => ({
              currency,
              count,
              amount: formatAmount(amountMinor),
            })),
          }),
    };
  }
}

function addTo(sums: Map<string, Sum>, { code, currency, count, amountMinor }: AlikeDiscrepancies): void {
  const key = `${code}\n${currency}`;
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, { code, currency, count, amountMinor });
    return;
  }
  sum.count += count;
  sum.amountMinor += amountMinor;
}

const inOrder = (sums: ReadonlyMap<string, Sum>): Sum[] =>
  [...sums.values()].sort((a, b) => byBytes(a.code, b.code) || byBytes(a.currency, b.currency));
