import type { SumsByCurrency } from '../../differing-sums.js';

/** Whole numbers are exact up to 2^53; an N13 amount stays below 10^12, so there is room to spare. */
const carryAt = 2 ** 52;

interface Sum {
  /** What did not fit into `pending`. */
  carried: bigint;
  pending: number;
}

/**
 * Adds up millions of amounts by currency: in numbers as long as they are exact, then in bigints. A currency is given
 * by the codes of its three letters, as they stand in the bytes of a row.
 */
export class CurrencySums {
  readonly #sums = new Map<number, Sum>();

  add(a: number, b: number, c: number, amountMinor: number): void {
    const key = (a << 16) | (b << 8) | c;
    let sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, (sum = { carried: 0n, pending: 0 }));
    sum.pending += amountMinor;
    if (sum.pending >= carryAt) {
      sum.carried += BigInt(sum.pending);
      sum.pending = 0;
    }
  }

  totals(): SumsByCurrency {
    return new Map(
      [...this.#sums].map(([key, sum]) => [
        String.fromCharCode(key >> 16, (key >> 8) & 0xff, key & 0xff),
        sum.carried + BigInt(sum.pending),
      ]),
    );
  }
}
