import type { Chargeback } from '../tables/chargebacks-table.js';
import { byBytes } from '../../values/by-bytes.js';

/** The chargebacks of one currency, in hundredths. One that FAILED is neither open nor reversed: no money moved. */
export interface ChargebackSums {
  readonly currency: string;
  open: number;
  openMinor: bigint;
  reversed: number;
  /** What their reversals returned. */
  reversedMinor: bigint;
}

/** The chargebacks of a scope, as `chargebacks.csv` lists them. */
export interface ChargebackTotals {
  readonly total: number;
  readonly byCurrency: readonly ChargebackSums[];
  /** The first open ones by amount. */
  readonly largestOpen: readonly Chargeback[];
}

/** The page lists at most this many open chargebacks. */
const chargebacksOnPage = 50;

/** Adds up the chargebacks while their table is written. */
export class ChargebackTally {
  readonly #byCurrency = new Map<string, ChargebackSums>();
  #largestOpen: Chargeback[] = [];
  #total = 0;

  /** The same batches, each counted before it goes on. */
  async *watch(batches: AsyncIterable<readonly Chargeback[]>): AsyncGenerator<readonly Chargeback[]> {
    for await (const batch of batches) {
      for (const chargeback of batch) this.#add(chargeback);
      const open = batch.filter(({ status }) => status === 'OPEN');
      this.#largestOpen = [...this.#largestOpen, ...open].sort(byAmount).slice(0, chargebacksOnPage);
      yield batch;
    }
  }

  totals(): ChargebackTotals {
    return {
      total: this.#total,
      byCurrency: [...this.#byCurrency.values()].sort((a, b) => byBytes(a.currency, b.currency)),
      largestOpen: this.#largestOpen,
    };
  }

  #add({ currency, status, amount_minor, reversed_minor, reversed_currency }: Chargeback): void {
    this.#total += 1;
    const sums = this.#sumsOf(currency);
    if (status === 'OPEN') {
      sums.open += 1;
      sums.openMinor += amount_minor;
    } else if (status === 'REVERSED') {
      sums.reversed += 1;
      this.#sumsOf(reversed_currency ?? currency).reversedMinor += reversed_minor ?? 0n;
    }
  }

  #sumsOf(currency: string): ChargebackSums {
    const sums = this.#byCurrency.get(currency) ?? {
      currency,
      open: 0,
      openMinor: 0n,
      reversed: 0,
      reversedMinor: 0n,
    };
    this.#byCurrency.set(currency, sums);
    return sums;
  }
}

/** The largest first; the order of the report decides between equal amounts. */
function byAmount(a: Chargeback, b: Chargeback): number {
  return a.amount_minor === b.amount_minor ? 0 : a.amount_minor > b.amount_minor ? -1 : 1;
}
